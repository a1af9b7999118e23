//! What each side declares under `experimental.mcpl` in the handshake.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::FeatureSetDeclaration;

/// The capabilities that a server declares.
///
/// Implements MCPL 0.4.1 §5.1 and §14.1, and the manifest of 0.5.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McplServerCapabilities {
    /// The version of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The server pushes events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_events: Option<bool>,
    /// The server has hooks around inferences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_hooks: Option<CapabilityTree<ContextHooks>>,
    /// The server requests inferences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference_request: Option<CapabilityTree<InferenceRequests>>,
    /// The server is notified when inferences start and end (MCPL 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference_lifecycle: Option<bool>,
    /// The server requests information about the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_info: Option<bool>,
    /// The server has channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<CapabilityTree<Channels>>,
    /// The server's feature sets, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_sets: Option<BTreeMap<String, FeatureSetDeclaration>>,
    /// The digest of this declaration (MCPL 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The capabilities that a host declares.
///
/// Implements MCPL 0.4.1 §5.2.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McplHostCapabilities {
    /// The version of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The host takes events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_events: Option<bool>,
    /// The host calls hooks around inferences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_hooks: Option<CapabilityTree<ContextHooks>>,
    /// The host runs inferences on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference_request: Option<CapabilityTree<InferenceRequests>>,
    /// The host notifies when inferences start and end (MCPL 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference_lifecycle: Option<bool>,
    /// The host answers which model it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_info: Option<bool>,
    /// The host has channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<CapabilityTree<Channels>>,
    /// Whether the host has feature sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_sets: Option<CapabilityTree<Map<String, Value>>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A capability with parts: `true` or `false` for all, or each part by itself.
///
/// Implements MCPL 0.5: `true` stands for every part, `false` for none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum CapabilityTree<T> {
    /// All parts, or none.
    All(bool),
    /// Each part by itself.
    Each(T),
}

/// The hooks around inferences (MCPL 0.4.1 §5.1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ContextHooks {
    /// Before an inference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_inference: Option<CapabilityTree<BeforeInferences>>,
    /// After an inference (not in 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_inference: Option<CapabilityTree<AfterInferences>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a hook does before an inference (MCPL 0.5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BeforeInferences {
    /// It reads the user's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observe: Option<bool>,
    /// It injects into the context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inject: Option<CapabilityTree<Inject>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The positions at which a hook injects (MCPL 0.5).
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

/// What a hook does after an inference (MCPL 0.4.1 §5.1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AfterInferences {
    /// Whether the host waits for the hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocking: Option<bool>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How a server requests inferences (MCPL 0.4.1 §5.1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InferenceRequests {
    /// Whether it takes the answer in chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What the server does with channels (MCPL 0.4.1 §14.1, and 0.5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Channels {
    /// It announces channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<bool>,
    /// It delivers messages to channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish: Option<bool>,
    /// It observes what is said on channels (not in 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observe: Option<bool>,
    /// It opens and closes channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<bool>,
    /// It takes outgoing messages in chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    /// It passes incoming messages to the host (MCPL 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incoming: Option<bool>,
    /// It shows that a message was seen (MCPL 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acknowledge: Option<bool>,
    /// It shows that somebody is typing (MCPL 0.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub typing: Option<bool>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
