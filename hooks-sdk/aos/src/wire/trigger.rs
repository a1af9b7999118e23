//! Triggers: events that start an agent without a prompt.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Part,
    present::{metadata, some},
};

/// An event that starts an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentTrigger {
    /// What kind of trigger it is.
    #[serde(rename = "type")]
    pub kind: TriggerKind,
    /// The event.
    pub event: TriggerEvent,
    /// What the event brings: at least one part.
    #[serde(deserialize_with = "some")]
    pub content: Vec<Part>,
    /// Further facts: an object, or `null`.
    #[serde(
        default,
        deserialize_with = "metadata",
        skip_serializing_if = "Option::is_none"
    )]
    pub metadata: Option<Option<Map<String, Value>>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl AgentTrigger {
    /// Makes a trigger.
    pub fn new(event: TriggerEvent, content: Vec<Part>) -> AgentTrigger {
        AgentTrigger {
            kind: TriggerKind::Autonomous,
            event,
            content,
            metadata: None,
            other: Map::new(),
        }
    }
}

/// The event that starts an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TriggerEvent {
    /// The kind of event, such as `email`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The event's id.
    pub id: String,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl TriggerEvent {
    /// Makes an event.
    pub fn new(kind: impl Into<String>, id: impl Into<String>) -> TriggerEvent {
        TriggerEvent {
            kind: kind.into(),
            id: id.into(),
            other: Map::new(),
        }
    }
}

/// What kind of trigger it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum TriggerKind {
    /// The agent starts without a person.
    #[default]
    Autonomous,
}
