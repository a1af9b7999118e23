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

// Each impl is written out: the compiler then suggests the one that the author probably meant.

impl McplInput<point::before_inference> for BeforeInference {
    fn receive(event: &BeforeInference) -> &BeforeInference {
        event
    }
}

impl McplInput<point::after_inference> for AfterInference {
    fn receive(event: &AfterInference) -> &AfterInference {
        event
    }
}

impl McplInput<point::lifecycle> for InferenceLifecycle {
    fn receive(event: &InferenceLifecycle) -> &InferenceLifecycle {
        event
    }
}

impl McplInput<point::enabled> for Enabled {
    fn receive(event: &Enabled) -> &Enabled {
        event
    }
}

impl McplInput<point::rollback> for RollbackRequest {
    fn receive(event: &RollbackRequest) -> &RollbackRequest {
        event
    }
}

impl McplInput<point::channels_open> for ChannelsOpen {
    fn receive(event: &ChannelsOpen) -> &ChannelsOpen {
        event
    }
}

impl McplInput<point::channels_close> for ChannelsClose {
    fn receive(event: &ChannelsClose) -> &ChannelsClose {
        event
    }
}

impl McplInput<point::channels_publish> for Publish {
    fn receive(event: &Publish) -> &Publish {
        event
    }
}

impl McplInput<point::channels_outgoing_chunk> for OutgoingChunk {
    fn receive(event: &OutgoingChunk) -> &OutgoingChunk {
        event
    }
}

impl McplInput<point::channels_outgoing_complete> for OutgoingComplete {
    fn receive(event: &OutgoingComplete) -> &OutgoingComplete {
        event
    }
}

impl McplInput<point::channels_typing> for Typing {
    fn receive(event: &Typing) -> &Typing {
        event
    }
}

impl McplInput<point::channels_acknowledge> for Acknowledge {
    fn receive(event: &Acknowledge) -> &Acknowledge {
        event
    }
}
