//! The session: its states, which the server enforces, and the text that says so beforehand.

use hooks_sdk::{guidance, session::SessionState};

use crate::Memory;

/// Where a session with the memory stands.
#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Searching, notes, reminders and merging need no session.
    // A client searches when a session begins, before the agent has said a word. The others serve a host of MCPL,
    // whose conversation goes on when it connects anew.
    #[stage(
        start,
        allow(
            search_memories,
            note_add,
            note_list,
            remind_me,
            list_reminders,
            cancel_reminder,
            consolidate_memories
        ),
        next(session_init => Ready)
    )]
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
    weight = 100,
    server = Memory
)]
#[derive(Debug)]
pub struct OpenSession;
