//! A server that has something for each version.

use hooks_sdk::{
    mcpl::{Acknowledge, Acknowledged, InferenceLifecycle, Phase},
    prelude::*,
};
use rmcp::ServerHandler;

pub(crate) struct Watch;

// ANCHOR: lifecycle
/// Count turns
#[mcpl::feature_set("watch.turns")]
struct Turns;

#[hooks_sdk::hooks]
impl Watch {
    #[mcpl::hook(after_inference, feature_set = Turns)]
    async fn answered(&self, turn: &AfterInference) {
        self.count(&turn.conversation_id);
    }

    #[mcpl::hook(lifecycle, feature_set = Turns)]
    async fn ended(&self, inference: &InferenceLifecycle) {
        if inference.phase.known() == Some(&Phase::Completed) {
            self.count(&inference.conversation_id);
        }
    }
}
// ANCHOR_END: lifecycle

/// Show that messages were seen
#[mcpl::feature_set("watch.seen")]
struct Seen;

#[hooks_sdk::hooks]
impl Watch {
    // ANCHOR: acknowledge
    #[mcpl::hook(channels_acknowledge, feature_set = Seen)]
    async fn seen(&self, message: &Acknowledge) -> Acknowledged {
        match &message.value {
            Some(emoji) => Acknowledged::done().representation(emoji.clone()),
            None => Acknowledged::failed("say which emoji"),
        }
    }
    // ANCHOR_END: acknowledge
}

impl Watch {
    fn count(&self, _conversation: &str) {}
}

impl ServerHandler for Watch {}
