//! What each side declares under `experimental.mcpl` in the handshake.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::FeatureSetDeclaration;

/// What a server declares.
///
/// Implements MCPL 0.4.1 §5.1 and §14.1, and the manifest of 0.5.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McplServerCapabilities {
    /// The version of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Reports events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_events: Option<bool>,
    /// Takes part in inferences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_hooks: Option<Leaves<ContextHooks>>,
    /// Asks for inferences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference_request: Option<Leaves<InferenceRequests>>,
    /// Learns that inferences happen (MCPL 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference_lifecycle: Option<bool>,
    /// Asks which model runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_info: Option<bool>,
    /// Has channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<Leaves<Channels>>,
    /// Its feature sets, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_sets: Option<BTreeMap<String, FeatureSetDeclaration>>,
    /// The digest of all of this (MCPL 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a host declares.
///
/// Implements MCPL 0.4.1 §5.2.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McplHostCapabilities {
    /// The version of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Reports events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_events: Option<bool>,
    /// Takes part in inferences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_hooks: Option<Leaves<ContextHooks>>,
    /// Asks for inferences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference_request: Option<Leaves<InferenceRequests>>,
    /// Learns that inferences happen (MCPL 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference_lifecycle: Option<bool>,
    /// Asks which model runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_info: Option<bool>,
    /// Has channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<Leaves<Channels>>,
    /// Whether it has feature sets at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_sets: Option<Leaves<Map<String, Value>>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Something with parts: all of them or none, or each by itself.
///
/// Implements MCPL 0.5: `true` stands for every part, `false` for none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Leaves<T> {
    /// All of them, or none.
    All(bool),
    /// Each by itself.
    Each(T),
}

/// How a server takes part in inferences (MCPL 0.4.1 §5.1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextHooks {
    /// Before them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_inference: Option<Leaves<BeforeInferences>>,
    /// After them (not in 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_inference: Option<Leaves<AfterInferences>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a server does before an inference (MCPL 0.5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BeforeInferences {
    /// Reads what the user said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observe: Option<bool>,
    /// Adds to the context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inject: Option<Leaves<Inject>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Where a server adds to the context (MCPL 0.5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Inject {
    /// With the system instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<bool>,
    /// Before the user's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_user: Option<bool>,
    /// After the user's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_user: Option<bool>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a server does after an inference (MCPL 0.4.1 §5.1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AfterInferences {
    /// Whether the host waits for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocking: Option<bool>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How a server asks for inferences (MCPL 0.4.1 §5.1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InferenceRequests {
    /// Whether it takes them in parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a server does with channels (MCPL 0.4.1 §14.1, and 0.5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Channels {
    /// Announces them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<bool>,
    /// Delivers to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish: Option<bool>,
    /// Looks at what is said on them (not in 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observe: Option<bool>,
    /// Opens and closes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<bool>,
    /// Takes what is said on them in parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    /// Hands in messages of theirs (MCPL 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incoming: Option<bool>,
    /// Shows that messages were seen (MCPL 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acknowledge: Option<bool>,
    /// Shows that somebody writes (MCPL 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub typing: Option<bool>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
