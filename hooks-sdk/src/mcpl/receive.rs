//! What a hook's function may take behind the server.

use std::{convert::Infallible, marker::PhantomData};

use super::{
    Acknowledge, AfterInference, BeforeInference, ChannelsClose, ChannelsOpen, Context, Enabled,
    InferenceLifecycle, McplPoint, OutgoingChunk, OutgoingComplete, Publish, RollbackRequest,
    Typing, point,
};

/// What a hook at the point `P` may take as its event.
#[diagnostic::on_unimplemented(
    message = "`{P}` hooks do not receive `{Self}`",
    label = "not this point's input",
    note = "each point has its own event: `before_inference` hooks receive `&BeforeInference`, and so on"
)]
#[doc(hidden)]
pub trait Receive<P: McplPoint> {
    fn receive(event: &P::In) -> &Self;
}

/// `IsInput::ANSWER` says whether `T` is an input of the point `P`. The attribute asks it about a type in the wrong place.
#[doc(hidden)]
#[derive(Debug)]
pub struct IsInput<T, P>(PhantomData<(T, P)>, Infallible);

/// The answer for every type; the one of [`IsInput`] itself takes precedence where it exists.
#[doc(hidden)]
pub trait NoInput {
    const ANSWER: bool = false;
}

impl<T, P> NoInput for IsInput<T, P> {}

impl<T: Receive<P>, P: McplPoint> IsInput<T, P> {
    pub const ANSWER: bool = true;
}

/// What a hook may take as its third argument.
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

// Written out because the compiler shows the one that an author probably meant.

impl Receive<point::before_inference> for BeforeInference {
    fn receive(event: &BeforeInference) -> &BeforeInference {
        event
    }
}

impl Receive<point::after_inference> for AfterInference {
    fn receive(event: &AfterInference) -> &AfterInference {
        event
    }
}

impl Receive<point::lifecycle> for InferenceLifecycle {
    fn receive(event: &InferenceLifecycle) -> &InferenceLifecycle {
        event
    }
}

impl Receive<point::enabled> for Enabled {
    fn receive(event: &Enabled) -> &Enabled {
        event
    }
}

impl Receive<point::rollback> for RollbackRequest {
    fn receive(event: &RollbackRequest) -> &RollbackRequest {
        event
    }
}

impl Receive<point::channels_open> for ChannelsOpen {
    fn receive(event: &ChannelsOpen) -> &ChannelsOpen {
        event
    }
}

impl Receive<point::channels_close> for ChannelsClose {
    fn receive(event: &ChannelsClose) -> &ChannelsClose {
        event
    }
}

impl Receive<point::channels_publish> for Publish {
    fn receive(event: &Publish) -> &Publish {
        event
    }
}

impl Receive<point::channels_outgoing_chunk> for OutgoingChunk {
    fn receive(event: &OutgoingChunk) -> &OutgoingChunk {
        event
    }
}

impl Receive<point::channels_outgoing_complete> for OutgoingComplete {
    fn receive(event: &OutgoingComplete) -> &OutgoingComplete {
        event
    }
}

impl Receive<point::channels_typing> for Typing {
    fn receive(event: &Typing) -> &Typing {
        event
    }
}

impl Receive<point::channels_acknowledge> for Acknowledge {
    fn receive(event: &Acknowledge) -> &Acknowledge {
        event
    }
}
