//! What the in-memory host of MCPL can do, with a server of three feature sets.

use std::time::Duration;

use futures::StreamExt;
use hooks_sdk::{
    Hooked,
    mcpl::{Call, EventId, Inference, McplSettings, Push, SendError},
    prelude::*,
    testing::{
        McplHost,
        mcpl::{Chunks, McplGrants, Reaction, Turn},
    },
};
use rmcp::{
    ServerHandler,
    handler::server::{common::Extension, router::tool::ToolRouter},
    tool, tool_handler, tool_router,
};
use serde_json::json;

/// Retrieve memories
#[mcpl::feature_set("keeper.retrieval")]
struct Retrieval;

/// Remind
#[mcpl::feature_set("keeper.proactive", sends(push), server = Keeper)]
struct Proactive;

/// Merge memories
#[mcpl::feature_set("keeper.consolidation", sends(inference), server = Keeper)]
struct Consolidation;

struct Keeper {
    router: ToolRouter<Keeper>,
}

#[hooks_sdk::hooks]
#[tool_router]
impl Keeper {
    #[mcpl::hook(before_inference, feature_set = Retrieval, inject(before_user))]
    async fn recall(&self) -> Injection {
        Injection::new("keeper", Position::BeforeUser, "Alice likes tea.")
    }

    /// Remind the user of tea
    #[tool]
    async fn remind(&self, Extension(call): Extension<Call>) -> String {
        let reminder = Push::new(EventId::of("tea", 1), "Time for tea");
        match call.host().push::<Proactive>(&reminder).await {
            Ok(_) => "done".to_owned(),
            Err(SendError::TimedOut(_)) => "the host does not answer".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    /// Merge what says the same
    #[tool]
    async fn consolidate(&self, Extension(call): Extension<Call>) -> Result<String, String> {
        let inference = Inference::prompt("Merge these.");
        let failed = |error: SendError| error.to_string();
        let mut merged = call
            .host()
            .infer_streaming::<Consolidation>(&inference)
            .map_err(failed)?;
        while merged.next().await.is_some() {}
        let answer = merged.finish().await.map_err(failed)?;
        Ok(answer.content)
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Keeper {}

fn server() -> Hooked<Keeper> {
    let keeper = Keeper {
        router: Keeper::tool_router(),
    };
    let settings = McplSettings::new().timeout(Duration::from_millis(200));
    keeper.with_hooks().unwrap().mcpl(settings)
}

// ANCHOR: inference
#[tokio::test]
async fn what_is_known_is_told_before_an_inference() {
    let host = McplHost::builder().enable(["keeper.*"]);
    let host = host.connect(server()).await.unwrap();
    let turn = Turn::new("conv_1").user("What does Alice like?");
    let contribution = host.before_inference(&turn).await;
    assert_eq!(
        contribution.text_at(Position::BeforeUser),
        "Alice likes tea."
    );

    let nothing = McplGrants::new().disable(["keeper.retrieval"]);
    host.update_feature_sets(&nothing).await.unwrap();
    let contribution = host.before_inference(&turn).await;
    assert!(contribution.injections.is_empty());
}
// ANCHOR_END: inference

// ANCHOR: events
#[tokio::test]
async fn a_reminder_is_pushed_once() {
    let host = McplHost::connect(server()).await.unwrap();
    host.call_tool("remind", json!({})).await.unwrap();
    let event = host.wait_for("push/event").await.unwrap();
    assert_eq!(event["params"]["featureSet"], "keeper.proactive");
    assert!(host.failures().is_empty());
}
// ANCHOR_END: events

// ANCHOR: misbehaviour
#[tokio::test]
async fn a_host_that_never_answers_stops_nothing() {
    let host = McplHost::builder()
        .infers("Alice likes tea, and Bob does too.")
        .react("push/event", Reaction::never())
        .react(
            "inference/request",
            Reaction::good().chunks(Chunks::Shuffled),
        );
    let host = host.connect(server()).await.unwrap();
    let answer = host.call_tool("remind", json!({})).await.unwrap();
    assert_eq!(answer.text(), "the host does not answer");
    let answer = host.call_tool("consolidate", json!({})).await.unwrap();
    assert_eq!(answer.text(), "Alice likes tea, and Bob does too.");
}
// ANCHOR_END: misbehaviour
