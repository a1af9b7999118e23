//! Where a step happens: the agent, its session, the turn and the user.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Agent,
    present::{metadata, present, timestamp},
};

/// Where a step happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StepContext {
    /// The agent whose step it is.
    pub agent: Arc<Agent>,
    /// The agent's session.
    pub session: AgentSession,
    /// One turn: from a trigger or a prompt to its answer.
    pub turn_id: String,
    /// The step. A tool call's request and its result share one.
    pub step_id: String,
    /// When the step happened: a date and a time of ISO 8601.
    #[serde(deserialize_with = "timestamp")]
    pub timestamp: String,
    /// The user for whom the agent works.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub user: Option<User>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl StepContext {
    /// Makes the context of a step that happens now, for no user.
    pub fn new(
        agent: impl Into<Arc<Agent>>,
        session_id: impl Into<String>,
        turn_id: impl Into<String>,
        step_id: impl Into<String>,
    ) -> StepContext {
        StepContext {
            agent: agent.into(),
            session: AgentSession::new(session_id),
            turn_id: turn_id.into(),
            step_id: step_id.into(),
            timestamp: hooks_core::Timestamp::now().to_string(),
            user: None,
            other: Map::new(),
        }
    }

    /// Sets the user.
    #[must_use]
    pub fn user(mut self, user: User) -> StepContext {
        self.user = Some(user);
        self
    }
}

/// The session of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentSession {
    /// The session's id.
    pub id: String,
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

impl AgentSession {
    /// Makes a session without further facts.
    pub fn new(id: impl Into<String>) -> AgentSession {
        AgentSession {
            id: id.into(),
            metadata: None,
            other: Map::new(),
        }
    }
}

/// The user for whom an agent works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct User {
    /// The user's id.
    pub id: String,
    /// The user's name.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub name: Option<String>,
    /// The user's address.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub email: Option<String>,
    /// The organization that the user belongs to.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub organization: Option<Organization>,
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

impl User {
    /// Makes a user of whom only the id is known.
    pub fn new(id: impl Into<String>) -> User {
        User {
            id: id.into(),
            name: None,
            email: None,
            organization: None,
            metadata: None,
            other: Map::new(),
        }
    }
}

/// An organization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Organization {
    /// The organization's id.
    pub id: String,
    /// The organization's name.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub name: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Organization {
    /// Makes an organization of which only the id is known.
    pub fn new(id: impl Into<String>) -> Organization {
        Organization {
            id: id.into(),
            name: None,
            other: Map::new(),
        }
    }
}
