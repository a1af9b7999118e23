//! A memory server that knows MCPL.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

// ANCHOR: server
use hooks_sdk::{
    mcpl::{Enabled, EventId, Push, Pushed, SendError, wrapped},
    prelude::*,
};
use rmcp::ServerHandler;

/// Retrieve relevant memories
#[mcpl::feature_set("memory.retrieval")]
struct Retrieval;

/// Surface reminders proactively
#[mcpl::feature_set("memory.proactive", sends(push))]
struct Proactive;

#[hooks_sdk::hooks]
impl Memory {
    #[mcpl::hook(before_inference, feature_set = Retrieval, inject(before_user))]
    async fn recall(&self, turn: &BeforeInference) -> Option<Injection> {
        let memories = self.about(turn.user_message.as_deref()?);
        let quoted = wrapped("memories", memories);
        Some(Injection::new("memory", Position::BeforeUser, quoted))
    }

    #[mcpl::hook(enabled, feature_set = Proactive)]
    async fn remind(&self, now: &Enabled) -> Result<(), SendError> {
        let id = EventId::of("reminder 17", "due");
        let reminder = Push::new(id, "You wanted to call Alice today.").at(self.due);
        if let Pushed::Refused(why) = now.host().push::<Proactive>(&reminder).await? {
            tracing::warn!(?why, "the reminder was refused");
        }
        Ok(())
    }
}

impl ServerHandler for Memory {}
// ANCHOR_END: server

pub(crate) struct Memory {
    due: SystemTime,
}

impl Memory {
    pub(crate) fn new() -> Memory {
        let due = UNIX_EPOCH + Duration::from_secs(1_769_176_800);
        Memory { due }
    }

    fn about(&self, _: &str) -> Vec<String> {
        vec!["The project grew to 8 units.".to_owned()]
    }
}

// ANCHOR: test
#[tokio::test]
async fn it_recalls_and_reminds() {
    use hooks_sdk::testing::{McplHost, mcpl::Turn};

    let server = Memory::new().with_hooks().unwrap();
    let host = McplHost::builder().enable(["memory.*"]);
    let host = host.connect(server).await.unwrap();
    let turn = Turn::new("conv_1").user("How is the project?");
    let told = host.before_inference(&turn).await;
    assert_eq!(
        told.text_at(Position::BeforeUser),
        "<memories>\nThe project grew to 8 units.\n</memories>"
    );
    let event = host.wait_for("push/event").await.unwrap();
    assert_eq!(event["params"]["featureSet"], "memory.proactive");
}
// ANCHOR_END: test
