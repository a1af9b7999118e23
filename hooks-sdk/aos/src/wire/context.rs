//! Where a step happens: the agent, its session, the turn and the user.

use std::sync::Arc;

use serde_json::Map;

use super::{Agent, present::timestamp};

objects! {
    /// Where a step happens.
    pub struct StepContext {
        /// The agent whose step it is.
        agent: Arc<Agent>,
        /// The agent's session.
        session: AgentSession,
        /// One turn: from a trigger or a prompt to its answer.
        turn_id: String,
        /// The step. A tool call's request and its result share one.
        step_id: String,
        /// When the step happened: a date and a time of ISO 8601.
        #[serde(deserialize_with = "timestamp")]
        timestamp: String,
        /// The user for whom the agent works.
        user?: User,

        /// Sets the user.
        fn user(user: User) => user;
    }

    /// The session of an agent.
    pub struct AgentSession {
        /// The session's id.
        id: String,
        metadata,

        /// Makes a session without further facts.
        fn new(id: impl Into<String>);
    }

    /// The user for whom an agent works.
    pub struct User {
        /// The user's id.
        id: String,
        /// The user's name.
        name?: String,
        /// The user's address.
        email?: String,
        /// The organization that the user belongs to.
        organization?: Organization,
        metadata,

        /// Makes a user of whom only the id is known.
        fn new(id: impl Into<String>);
    }

    /// An organization.
    pub struct Organization {
        /// The organization's id.
        id: String,
        /// The organization's name.
        name?: String,

        /// Makes an organization of which only the id is known.
        fn new(id: impl Into<String>);
    }
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
}
