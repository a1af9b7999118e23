//! The types that a hook's function may take after the server.

use std::{convert::Infallible, marker::PhantomData};

use super::{Context, McplPoint};

/// An event type that a hook at the point `P` may take.
#[diagnostic::on_unimplemented(
    message = "`{P}` hooks do not receive `{Self}`",
    label = "not this point's input",
    note = "each point has its own event: `before_inference` hooks receive `&BeforeInference`, and so on"
)]
#[doc(hidden)]
pub trait McplInput<P: McplPoint> {
    fn receive(event: &P::In) -> &Self;
}

/// `IsMcplInput::ANSWER` says whether `T` is an input of the point `P`. The attribute asks it about a type in the wrong place.
#[doc(hidden)]
#[derive(Debug)]
pub struct IsMcplInput<T, P>(PhantomData<(T, P)>, Infallible);

impl<T: McplInput<P>, P: McplPoint> IsMcplInput<T, P> {
    pub const ANSWER: bool = true;
}

/// A type that a hook may take as its third argument.
#[diagnostic::on_unimplemented(
    message = "hooks do not receive `{Self}` behind their event",
    label = "not the context",
    note = "behind the event they receive `&mcpl::Context`"
)]
#[doc(hidden)]
pub trait Surround {
    fn surround(cx: &Context) -> &Self;
}

impl Surround for Context {
    fn surround(cx: &Context) -> &Context {
        cx
    }
}
