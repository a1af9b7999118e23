//! The types that a hook's function may take after the server.

use std::{convert::Infallible, marker::PhantomData};

use super::{PluginContext, PluginPoint};

/// A payload type that a hook at the point `P` may take.
#[diagnostic::on_unimplemented(
    message = "`{P}` hooks do not receive `{Self}`",
    label = "not this point's payload",
    note = "each point has its own payload: `tool_pre_invoke` hooks receive `&ToolCall`, and so on"
)]
#[doc(hidden)]
pub trait PluginInput<P: PluginPoint> {
    fn receive(payload: &P::In) -> &Self;
}

/// `IsPluginInput::ANSWER` says whether `T` is a payload of the point `P`. The attribute asks it about a type in the wrong
/// place.
#[doc(hidden)]
#[derive(Debug)]
pub struct IsPluginInput<T, P>(PhantomData<(T, P)>, Infallible);

impl<T: PluginInput<P>, P: PluginPoint> IsPluginInput<T, P> {
    pub const ANSWER: bool = true;
}

/// A type that a hook may take as its last argument.
#[diagnostic::on_unimplemented(
    message = "hooks do not receive `{Self}` behind their payload",
    label = "not the context",
    note = "behind the payload they receive `&mut PluginContext`"
)]
#[doc(hidden)]
pub trait PluginSurround {
    fn surround(cx: &mut PluginContext) -> &mut Self;
}

impl PluginSurround for PluginContext {
    fn surround(cx: &mut PluginContext) -> &mut PluginContext {
        cx
    }
}
