//! Triggers: events that start an agent without a prompt.

use serde::{Deserialize, Serialize};

use super::{Part, present::some};

objects! {
    /// An event that starts an agent.
    pub struct AgentTrigger {
        /// What kind of trigger it is.
        #[serde(rename = "type")]
        kind: TriggerKind = TriggerKind::Autonomous,
        /// The event.
        event: TriggerEvent,
        /// What the event brings: at least one part.
        #[serde(deserialize_with = "some")]
        content: Vec<Part>,
        metadata,

        /// Makes a trigger.
        fn new(event: TriggerEvent, content: Vec<Part>);
    }

    /// The event that starts an agent.
    pub struct TriggerEvent {
        /// The kind of event, such as `email`.
        #[serde(rename = "type")]
        kind: String,
        /// The event's id.
        id: String,

        /// Makes an event.
        fn new(kind: impl Into<String>, id: impl Into<String>);
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
