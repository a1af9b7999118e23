//! The session: its states, which the server enforces, and the text that says so beforehand.

use hooks_sdk::{guidance, session::SessionState};

use crate::Memory;

/// Where a session with the memory stands.
#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Only `search_memories` can be called before that.
    // The client calls it when a session begins, before the agent has said a word.
    #[stage(start, allow(search_memories), next(session_init => Ready))]
    New,
    /// The session is open: every tool of this server can be called.
    #[stage(allow(any))]
    Ready,
}

/// When a session begins: what opens it, so that no call has to be refused.
#[guidance::hook(
    session, start,
    requirement = MUST,
    name = "Open the session",
    priority = 100,
    server = Memory
)]
#[derive(Debug)]
pub struct OpenSession;
