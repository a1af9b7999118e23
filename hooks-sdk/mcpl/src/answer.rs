//! What a hook's function may return at each point.

use super::{
    Acknowledged, ChannelDescriptor, Injection, McplPoint, Modified, Published,
    point::{
        after_inference, before_inference, channels_acknowledge, channels_close, channels_open,
        channels_outgoing_chunk, channels_outgoing_complete, channels_publish, channels_typing,
        enabled, lifecycle, rollback,
    },
};
use hooks_core::HookError;

/// What a hook at the point `P` may return.
///
/// A function may return a `Result`. If its error is an [`ErrorObject`](super::ErrorObject) and the host waits for the
/// answer, the host gets that object unchanged.
#[diagnostic::on_unimplemented(
    message = "`{P}` hooks cannot answer with `{Self}`",
    label = "not this point's answer",
    note = "`before_inference` takes `Vec<Injection>`, `Injection`, an `Option` of either, or nothing",
    note = "`after_inference` takes `Modified`, `String`, an `Option` of either, or nothing",
    note = "`channels_open` takes `ChannelDescriptor`, `channels_publish` takes `Published` or nothing, \
            `channels_acknowledge` takes `Acknowledged` or nothing, the other points take nothing",
    note = "each of these may stand in a `Result`, whose error is a `std::error::Error`, or a text as \
            `hooks_sdk::core::HookError::new(\"…\")`"
)]
pub trait McplAnswer<P: McplPoint> {
    /// Whether an answer of this type can hold anything. It is `false` for `()`, which a hook that only observes
    /// returns.
    const SAYS: bool = true;

    /// Converts the answer to what the point takes.
    ///
    /// # Errors
    ///
    /// The author's own error.
    fn answer(self) -> Result<P::Out, HookError>;
}

// Without this, an unsuitable error type such as `String` is reported as a chain of trait bounds that does not mention
// the hook.
#[diagnostic::do_not_recommend]
impl<P: McplPoint, A: McplAnswer<P>, E: Into<HookError>> McplAnswer<P> for Result<A, E> {
    const SAYS: bool = A::SAYS;

    fn answer(self) -> Result<P::Out, HookError> {
        self.map_err(Into::into)?.answer()
    }
}

impl McplAnswer<before_inference> for Vec<Injection> {
    fn answer(self) -> Result<Vec<Injection>, HookError> {
        Ok(self)
    }
}

impl McplAnswer<before_inference> for Injection {
    fn answer(self) -> Result<Vec<Injection>, HookError> {
        Ok(vec![self])
    }
}

impl<A: McplAnswer<before_inference>> McplAnswer<before_inference> for Option<A> {
    const SAYS: bool = A::SAYS;

    fn answer(self) -> Result<Vec<Injection>, HookError> {
        self.map_or_else(|| Ok(Vec::new()), A::answer)
    }
}

impl McplAnswer<before_inference> for () {
    const SAYS: bool = false;

    fn answer(self) -> Result<Vec<Injection>, HookError> {
        Ok(Vec::new())
    }
}

impl McplAnswer<after_inference> for Modified {
    fn answer(self) -> Result<Modified, HookError> {
        Ok(self)
    }
}

impl McplAnswer<after_inference> for String {
    fn answer(self) -> Result<Modified, HookError> {
        Ok(Modified::to(self))
    }
}

impl<A: McplAnswer<after_inference>> McplAnswer<after_inference> for Option<A> {
    const SAYS: bool = A::SAYS;

    fn answer(self) -> Result<Modified, HookError> {
        self.map_or_else(|| Ok(Modified::default()), A::answer)
    }
}

impl McplAnswer<after_inference> for () {
    const SAYS: bool = false;

    fn answer(self) -> Result<Modified, HookError> {
        Ok(Modified::default())
    }
}

impl McplAnswer<channels_open> for ChannelDescriptor {
    fn answer(self) -> Result<ChannelDescriptor, HookError> {
        Ok(self)
    }
}

impl McplAnswer<channels_publish> for Published {
    fn answer(self) -> Result<Published, HookError> {
        Ok(self)
    }
}

impl McplAnswer<channels_publish> for () {
    fn answer(self) -> Result<Published, HookError> {
        Ok(Published::delivered())
    }
}

impl McplAnswer<channels_acknowledge> for Acknowledged {
    fn answer(self) -> Result<Acknowledged, HookError> {
        Ok(self)
    }
}

impl McplAnswer<channels_acknowledge> for () {
    fn answer(self) -> Result<Acknowledged, HookError> {
        Ok(Acknowledged::done())
    }
}

macro_rules! nothing {
    ($($point:ident,)+) => {$(
        impl McplAnswer<$point> for () {
            const SAYS: bool = false;

            fn answer(self) -> Result<(), HookError> {
                Ok(())
            }
        }
    )+};
}

nothing! {
    lifecycle,
    enabled,
    rollback,
    channels_close,
    channels_outgoing_chunk,
    channels_outgoing_complete,
    channels_typing,
}
