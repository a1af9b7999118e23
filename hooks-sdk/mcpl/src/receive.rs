//! The types that a hook's function may take after the server.

use std::{convert::Infallible, marker::PhantomData};

use super::{
    Acknowledge, AfterInference, BeforeInference, ChannelsClose, ChannelsOpen, Context, Enabled,
    InferenceLifecycle, McplPoint, OutgoingChunk, OutgoingComplete, Publish, RollbackRequest,
    Typing, point,
};

/// An event type that a hook at the point `P` may take.
#[diagnostic::on_unimplemented(
    message = "`{P}` hooks do not receive `{Self}`",
    label = "not this point's input",
    note = "each point has its own event: `before_inference` hooks receive `&BeforeInference`, and so on"
)]
#[doc(hidden)]
pub trait McplInput<P: McplPoint>: SameAs<P::In> {
    fn receive(event: &P::In) -> &Self {
        Self::same(event)
    }
}

/// Every type is the same as itself.
#[doc(hidden)]
pub trait SameAs<T>: Sized {
    fn same(value: &T) -> &Self;
}

impl<T> SameAs<T> for T {
    fn same(value: &T) -> &T {
        value
    }
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

// Each impl is written out: the compiler then suggests the one that the author probably meant.

impl McplInput<point::before_inference> for BeforeInference {}
impl McplInput<point::after_inference> for AfterInference {}
impl McplInput<point::lifecycle> for InferenceLifecycle {}
impl McplInput<point::enabled> for Enabled {}
impl McplInput<point::rollback> for RollbackRequest {}
impl McplInput<point::channels_open> for ChannelsOpen {}
impl McplInput<point::channels_close> for ChannelsClose {}
impl McplInput<point::channels_publish> for Publish {}
impl McplInput<point::channels_outgoing_chunk> for OutgoingChunk {}
impl McplInput<point::channels_outgoing_complete> for OutgoingComplete {}
impl McplInput<point::channels_typing> for Typing {}
impl McplInput<point::channels_acknowledge> for Acknowledge {}
