//! The messages around an inference: before it, after it, and about its start and end.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{CurrentModel, Injection, Usage, left_out};
use hooks_core::Open;

/// The host is about to run the model.
///
/// Implements MCPL 0.4.1 §10.1, the params of `context/beforeInference`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BeforeInference {
    /// The id of the inference.
    pub inference_id: String,
    /// The id of the conversation, the same in all of its turns.
    pub conversation_id: String,
    /// The index of the turn, from 0; 0 if the host omits it.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub turn_index: u64,
    /// The user's message. It is `None` if the model continues by itself and, in 0.5, if it is not granted.
    pub user_message: Option<String>,
    /// The model that is about to run. It has no members if the host omits it.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub model: CurrentModel,
    /// The channels that the turn comes from and that its answer goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<ChannelContext>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The injections of a server into the context of an inference.
///
/// Implements MCPL 0.4.1 §10.2, the answer to `context/beforeInference`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BeforeInferenceResult {
    /// The feature set that answers.
    pub feature_set: String,
    /// The injections.
    pub context_injections: Vec<Injection>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl BeforeInferenceResult {
    /// Makes the answer of one feature set.
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
    /// The channel for the answer, unless something else decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_outgoing: Option<ChannelRef>,
    /// The channels that the answer may go to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<String>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A message on a channel, as ids.
///
/// Implements MCPL 0.4.1 §14.4.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct IncomingRef {
    /// The channel.
    pub channel_id: String,
    /// The message; empty if the host omits it.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub message_id: String,
    /// The thread, if the channel has threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A channel, as an id.
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
    /// The id of the inference.
    pub inference_id: String,
    /// The id of the conversation, the same in all of its turns.
    pub conversation_id: String,
    /// The index of the turn, from 0; 0 if the host omits it.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub turn_index: u64,
    /// The user's message. It is `None` if the model continued by itself.
    pub user_message: Option<String>,
    /// The model's answer.
    pub assistant_message: String,
    /// The model that ran. It has no members if the host omits it.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub model: CurrentModel,
    /// The tokens that the inference used; 0 if the host omits it.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub usage: Usage,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a blocking server makes of the model's answer.
///
/// Implements MCPL 0.4.1 §10.5, the answer to `context/afterInference`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AfterInferenceResult {
    /// The feature set that answers.
    pub feature_set: String,
    /// The text that replaces the model's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified_response: Option<String>,
    /// Further information about the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl AfterInferenceResult {
    /// Makes the answer of one feature set. Empty metadata is omitted on the wire.
    pub fn new(feature_set: impl Into<String>, modified: Modified) -> AfterInferenceResult {
        AfterInferenceResult {
            feature_set: feature_set.into(),
            modified_response: modified.response,
            metadata: (!modified.metadata.is_empty()).then_some(modified.metadata),
            other: Map::new(),
        }
    }
}

/// What a hook's function makes of the model's answer: another text or none, and information about the change.
///
/// Implements MCPL 0.4.1 §10.5. The default changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Modified {
    /// The text that replaces the model's answer.
    pub response: Option<String>,
    /// Further information about the change.
    pub metadata: Map<String, Value>,
}

impl Modified {
    /// Replaces the model's answer with this text.
    pub fn to(response: impl Into<String>) -> Modified {
        Modified {
            response: Some(response.into()),
            metadata: Map::new(),
        }
    }

    /// Keeps the model's answer.
    pub fn unchanged() -> Modified {
        Modified::default()
    }

    /// Sets further information about the change.
    #[must_use]
    pub fn metadata(mut self, metadata: Map<String, Value>) -> Modified {
        self.metadata = metadata;
        self
    }
}

/// An inference started or ended. Its content is not included.
///
/// Implements MCPL 0.5, the params of `inference/lifecycle`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InferenceLifecycle {
    /// The id of the inference.
    pub inference_id: String,
    /// The id of the conversation, the same in all of its turns.
    pub conversation_id: String,
    /// The index of the turn, from 0; 0 if the host omits it.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub turn_index: u64,
    /// What happened to the inference.
    pub phase: Open<Phase>,
    /// The model that runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<CurrentModel>,
    /// The tokens that the inference used.
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
    /// The inference started.
    Started,
    /// The inference ended with an answer.
    Completed,
    /// The inference was stopped.
    Aborted,
    /// The inference failed.
    Failed,
}

impl Phase {
    /// Whether the inference has ended.
    pub const fn is_terminal(self) -> bool {
        !matches!(self, Phase::Started)
    }
}
