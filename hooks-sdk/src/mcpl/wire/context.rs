//! What happens around an inference: before it, after it, and that it happened.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{CurrentModel, Injection, Usage, left_out};
use crate::core::Open;

/// The host is about to run the model.
///
/// Implements MCPL 0.4.1 §10.1, the params of `context/beforeInference`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BeforeInference {
    /// The inference's own id.
    pub inference_id: String,
    /// The conversation, the same over its turns.
    pub conversation_id: String,
    /// The turn, counted from 0; also 0 where the host leaves it out.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub turn_index: u64,
    /// What the user said; `None` where the model goes on by itself, and in 0.5 where it is not granted.
    pub user_message: Option<String>,
    /// The model that is about to run; without members where the host leaves it out.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub model: CurrentModel,
    /// Where the turn comes from and where its answer goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<ChannelContext>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a server adds to the context of an inference.
///
/// Implements MCPL 0.4.1 §10.2, the answer to `context/beforeInference`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BeforeInferenceResult {
    /// The feature set that answers.
    pub feature_set: String,
    /// What it adds.
    pub context_injections: Vec<Injection>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl BeforeInferenceResult {
    /// An answer of one feature set.
    pub fn new(
        feature_set: impl Into<String>,
        context_injections: Vec<Injection>,
    ) -> BeforeInferenceResult {
        BeforeInferenceResult {
            feature_set: feature_set.into(),
            context_injections,
            other: Map::new(),
        }
    }
}

/// The channels of a turn.
///
/// Implements MCPL 0.4.1 §14.4.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ChannelContext {
    /// The message that the turn answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incoming: Option<IncomingRef>,
    /// Where the answer goes unless something else decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_outgoing: Option<ChannelRef>,
    /// Where the answer may go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<String>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A message on a channel, by its ids.
///
/// Implements MCPL 0.4.1 §14.4.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct IncomingRef {
    /// The channel.
    pub channel_id: String,
    /// The message; empty where the host leaves it out.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub message_id: String,
    /// The thread, where the channel has threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A channel, by its id.
///
/// Implements MCPL 0.4.1 §14.4.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ChannelRef {
    /// The channel.
    pub channel_id: String,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The model has answered.
///
/// Implements MCPL 0.4.1 §10.5, the params of `context/afterInference`, which is a request where the server
/// blocks and a notification otherwise. 0.5 has no such method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AfterInference {
    /// The inference's own id.
    pub inference_id: String,
    /// The conversation, the same over its turns.
    pub conversation_id: String,
    /// The turn, counted from 0; also 0 where the host leaves it out.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub turn_index: u64,
    /// What the user said; `None` where the model went on by itself.
    pub user_message: Option<String>,
    /// What the model said.
    pub assistant_message: String,
    /// The model that ran; without members where the host leaves it out.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub model: CurrentModel,
    /// What it used; 0 where the host leaves it out.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub usage: Usage,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a server that blocks makes of the model's answer.
///
/// Implements MCPL 0.4.1 §10.5, the answer to `context/afterInference`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AfterInferenceResult {
    /// The feature set that answers.
    pub feature_set: String,
    /// What the user gets in place of the model's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified_response: Option<String>,
    /// Anything about the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl AfterInferenceResult {
    /// The answer of one feature set; empty metadata is no member on the wire.
    pub fn new(feature_set: impl Into<String>, modified: Modified) -> AfterInferenceResult {
        AfterInferenceResult {
            feature_set: feature_set.into(),
            modified_response: modified.response,
            metadata: (!modified.metadata.is_empty()).then_some(modified.metadata),
            other: Map::new(),
        }
    }
}

/// What an author's function makes of the model's answer: another text, or none, and what to say of it.
///
/// Implements MCPL 0.4.1 §10.5. The default changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Modified {
    /// What the user gets in place of the model's answer.
    pub response: Option<String>,
    /// Anything about the change.
    pub metadata: Map<String, Value>,
}

impl Modified {
    /// Another text in place of the model's.
    pub fn to(response: impl Into<String>) -> Modified {
        Modified {
            response: Some(response.into()),
            metadata: Map::new(),
        }
    }

    /// The model's text as it is.
    pub fn unchanged() -> Modified {
        Modified::default()
    }

    /// Says something of it, in place of what was said.
    #[must_use]
    pub fn metadata(mut self, metadata: Map<String, Value>) -> Modified {
        self.metadata = metadata;
        self
    }
}

/// An inference started or ended; nothing of what was said.
///
/// Implements MCPL 0.5, the params of `inference/lifecycle`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InferenceLifecycle {
    /// The inference's own id.
    pub inference_id: String,
    /// The conversation, the same over its turns.
    pub conversation_id: String,
    /// The turn, counted from 0; also 0 where the host leaves it out.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub turn_index: u64,
    /// What happened to it.
    pub phase: Open<Phase>,
    /// The model that runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<CurrentModel>,
    /// What it used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What happened to an inference (MCPL 0.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Phase {
    /// It began.
    Started,
    /// It ended with an answer.
    Completed,
    /// Somebody stopped it.
    Aborted,
    /// It went wrong.
    Failed,
}

impl Phase {
    /// Whether nothing more comes of the inference.
    pub const fn is_terminal(self) -> bool {
        !matches!(self, Phase::Started)
    }
}
