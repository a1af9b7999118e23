//! What each side declares under `experimental.mcpl` in the handshake.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::FeatureSetDeclaration;

objects! {
    /// The capabilities that a server declares.
    ///
    /// Implements MCPL 0.4.1 §5.1 and §14.1, and the manifest of 0.5.
    #[derive(Default)]
    pub struct McplServerCapabilities {
        /// The version of the protocol.
        version?: String,
        /// The server pushes events.
        push_events?: bool,
        /// The server has hooks around inferences.
        context_hooks?: CapabilityTree<ContextHooks>,
        /// The server requests inferences.
        inference_request?: CapabilityTree<InferenceRequests>,
        /// The server is notified when inferences start and end (MCPL 0.5).
        inference_lifecycle?: bool,
        /// The server requests information about the model.
        model_info?: bool,
        /// The server has channels.
        channels?: CapabilityTree<Channels>,
        /// The server's feature sets, by name.
        feature_sets?: BTreeMap<String, FeatureSetDeclaration>,
        /// The digest of this declaration (MCPL 0.5).
        revision?: String,
    }

    /// The capabilities that a host declares.
    ///
    /// Implements MCPL 0.4.1 §5.2.
    #[derive(Default)]
    pub struct McplHostCapabilities {
        /// The version of the protocol.
        version?: String,
        /// The host takes events.
        push_events?: bool,
        /// The host calls hooks around inferences.
        context_hooks?: CapabilityTree<ContextHooks>,
        /// The host runs inferences on request.
        inference_request?: CapabilityTree<InferenceRequests>,
        /// The host notifies when inferences start and end (MCPL 0.5).
        inference_lifecycle?: bool,
        /// The host answers which model it runs.
        model_info?: bool,
        /// The host has channels.
        channels?: CapabilityTree<Channels>,
        /// Whether the host has feature sets.
        feature_sets?: CapabilityTree<Map<String, Value>>,
    }
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

objects! {
    /// The hooks around inferences (MCPL 0.4.1 §5.1).
    #[derive(Default)]
    pub struct ContextHooks {
        /// Before an inference.
        before_inference?: CapabilityTree<BeforeInferences>,
        /// After an inference (not in 0.5).
        after_inference?: CapabilityTree<AfterInferences>,
    }

    /// What a hook does before an inference (MCPL 0.5).
    #[derive(Default)]
    pub struct BeforeInferences {
        /// It reads the user's message.
        observe?: bool,
        /// It injects into the context.
        inject?: CapabilityTree<Inject>,
    }

    /// The positions at which a hook injects (MCPL 0.5).
    #[derive(Default)]
    pub struct Inject {
        /// With the system instructions.
        system?: bool,
        /// Before the user's message.
        before_user?: bool,
        /// After the user's message.
        after_user?: bool,
    }

    /// What a hook does after an inference (MCPL 0.4.1 §5.1).
    #[derive(Default)]
    pub struct AfterInferences {
        /// Whether the host waits for the hook.
        blocking?: bool,
    }

    /// How a server requests inferences (MCPL 0.4.1 §5.1).
    #[derive(Default)]
    pub struct InferenceRequests {
        /// Whether it takes the answer in chunks.
        streaming?: bool,
    }

    /// What the server does with channels (MCPL 0.4.1 §14.1, and 0.5).
    #[derive(Default)]
    pub struct Channels {
        /// It announces channels.
        register?: bool,
        /// It delivers messages to channels.
        publish?: bool,
        /// It observes what is said on channels (not in 0.5).
        observe?: bool,
        /// It opens and closes channels.
        lifecycle?: bool,
        /// It takes outgoing messages in chunks.
        streaming?: bool,
        /// It passes incoming messages to the host (MCPL 0.5).
        incoming?: bool,
        /// It shows that a message was seen (MCPL 0.5).
        acknowledge?: bool,
        /// It shows that somebody is typing (MCPL 0.5).
        typing?: bool,
    }
}
