//! What a hook's function may take behind the server.

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
pub trait McplInput<P: McplPoint> {
    fn receive(event: &P::In) -> &Self;
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
