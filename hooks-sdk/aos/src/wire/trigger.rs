//! Triggers: events that start an agent without a prompt.

use serde::{Deserialize, Serialize};

use super::{Part, object::objects, present::some};

objects! {
    /// An event that starts an agent.
    pub struct AgentTrigger {
        /// What kind of trigger it is.
        #[serde(rename = "type")]
        pub kind: TriggerKind = TriggerKind::Autonomous,
        /// The event.
        pub event: TriggerEvent,
        /// What the event brings: at least one part.
        #[serde(deserialize_with = "some")]
        pub content: Vec<Part>,
        pub metadata,
    }

    /// Makes a trigger.
    pub fn new(event: TriggerEvent, content: Vec<Part>);

    /// The event that starts an agent.
    pub struct TriggerEvent {
        /// The kind of event, such as `email`.
        #[serde(rename = "type")]
        pub kind: String,
        /// The event's id.
        pub id: String,
    }

    /// Makes an event.
    pub fn new(kind: impl Into<String>, id: impl Into<String>);
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
