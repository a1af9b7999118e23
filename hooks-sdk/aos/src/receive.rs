//! The types that a hook's function may take after the policy.

use std::{convert::Infallible, marker::PhantomData};

use super::{AosPoint, StepInfo};

/// A payload type that a hook at the point `P` may take.
#[diagnostic::on_unimplemented(
    message = "`{P}` hooks do not receive `{Self}`",
    label = "not this point's payload",
    note = "each point has its own payload: `tool_call_request` hooks receive `&ToolCallRequest`, and so on"
)]
#[doc(hidden)]
pub trait AosInput<P: AosPoint> {
    fn receive(payload: &P::In) -> &Self;
}

/// `IsAosInput::ANSWER` says whether `T` is a payload of the point `P`. The attribute asks it about a type in the wrong
/// place.
#[doc(hidden)]
#[derive(Debug)]
pub struct IsAosInput<T, P>(PhantomData<(T, P)>, Infallible);

impl<T: AosInput<P>, P: AosPoint> IsAosInput<T, P> {
    pub const ANSWER: bool = true;
}

/// A type that a hook may take as its last argument.
#[diagnostic::on_unimplemented(
    message = "hooks do not receive `{Self}` behind their payload",
    label = "not the context",
    note = "behind the payload they receive `&StepInfo`"
)]
#[doc(hidden)]
pub trait AosSurround {
    fn surround(asked: &StepInfo) -> &Self;
}

impl AosSurround for StepInfo {
    fn surround(asked: &StepInfo) -> &StepInfo {
        asked
    }
}
