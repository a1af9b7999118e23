//! What the tools take.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Text {
    pub(crate) text: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PushArgs {
    pub(crate) text: String,
    pub(crate) event_id: Option<String>,
    pub(crate) feature_set: Option<String>,
    pub(crate) tags: Option<Vec<String>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InferArgs {
    pub(crate) prompt: String,
    pub(crate) stream: Option<bool>,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) conversation_id: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FileArgs {
    pub(crate) path: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CommitArgs {
    pub(crate) message: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IncomingArgs {
    pub(crate) n: u32,
    pub(crate) channel_id: Option<String>,
}
