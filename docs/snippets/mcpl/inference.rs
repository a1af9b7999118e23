//! Inferences of a server's own.

use futures::StreamExt;
use hooks_sdk::{
    mcpl::{Enabled, Host, Inference, InferenceResult, Message, SendError},
    prelude::*,
};
use rmcp::ServerHandler;

pub(crate) struct Library;

// ANCHOR: set
/// Summarize memories using AI
#[mcpl::feature_set("memory.consolidation", sends(inference), optional(model_info))]
struct Consolidation;
// ANCHOR_END: set

#[hooks_sdk::hooks]
impl Library {
    #[mcpl::hook(enabled, feature_set = Consolidation)]
    async fn consolidate(&self, now: &Enabled) -> Result<(), SendError> {
        let length = length(now.host()).await;
        streamed(now.host(), length).await?;
        Ok(())
    }
}

// ANCHOR: model
async fn length(host: &Host) -> usize {
    match host.model_info::<Consolidation>().await {
        Ok(model) if model.context_window >= 100_000 => 200,
        _ => 20,
    }
}
// ANCHOR_END: model

// ANCHOR: plain
async fn plain(host: &Host) -> Result<InferenceResult, SendError> {
    let inference = Inference::new([
        Message::system("You summarize."),
        Message::user("Summarize these memories: …"),
    ]);
    let inference = inference.conversation("conv_123").max_tokens(500);
    host.infer::<Consolidation>(&inference).await
}
// ANCHOR_END: plain

// ANCHOR: streamed
async fn streamed(host: &Host, memories: usize) -> Result<InferenceResult, SendError> {
    let inference = Inference::prompt(format!("Summarize {memories} memories: …"));
    let mut stream = host.infer_streaming::<Consolidation>(&inference)?;
    while let Some(chunk) = stream.next().await {
        tracing::debug!(chunk.index, chunk.delta, "a part of the summary");
    }
    stream.finish().await
}
// ANCHOR_END: streamed

impl ServerHandler for Library {}

#[tokio::test]
async fn a_plain_host_is_asked_nothing() {
    let error = plain(&Host::plain()).await.unwrap_err();
    assert_eq!(error, SendError::NoHost);
}
