//! What a hook's function may return at each point.

use super::{
    Acknowledged, Injection, McplPoint, Modified, Published,
    point::{after_inference, before_inference, channels_acknowledge, channels_publish},
};
use hooks_core::{HookError, Point, error::IntoHookError};

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

#[diagnostic::do_not_recommend]
impl<P: McplPoint, A: McplAnswer<P>, E: IntoHookError> McplAnswer<P> for Result<A, E> {
    const SAYS: bool = A::SAYS;

    fn answer(self) -> Result<P::Out, HookError> {
        self.map_err(E::into_hook_error)?.answer()
    }
}

#[diagnostic::do_not_recommend]
impl McplAnswer<before_inference> for Injection {
    fn answer(self) -> Result<Vec<Injection>, HookError> {
        Ok(vec![self])
    }
}

#[diagnostic::do_not_recommend]
impl McplAnswer<after_inference> for String {
    fn answer(self) -> Result<Modified, HookError> {
        Ok(Modified::to(self))
    }
}

/// What an answer that may be absent is converted to.
macro_rules! absent {
    ($($point:ident => $absent:expr;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<A: McplAnswer<$point>> McplAnswer<$point> for Option<A> {
            const SAYS: bool = A::SAYS;

            fn answer(self) -> Result<<$point as Point>::Out, HookError> {
                self.map_or_else(|| Ok($absent), A::answer)
            }
        }
    )+};
}

absent! {
    before_inference => Vec::new();
    after_inference => Modified::unchanged();
}

/// What nothing is converted to, at the points that take something.
macro_rules! nothing {
    ($($point:ident => $nothing:expr;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl McplAnswer<$point> for () {
            const SAYS: bool = false;

            fn answer(self) -> Result<<$point as Point>::Out, HookError> {
                Ok($nothing)
            }
        }
    )+};
}

nothing! {
    before_inference => Vec::new();
    after_inference => Modified::unchanged();
    channels_publish => Published::delivered();
    channels_acknowledge => Acknowledged::done();
}
