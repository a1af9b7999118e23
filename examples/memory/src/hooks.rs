//! What the server says at three moments of an agent's session.

use hooks_sdk::lifecycle;

use crate::Memory;

/// After a commit: store what was learned.
#[lifecycle::hook(
    post_tool_use,
    matcher(tool_name = "Bash", input_contains = "git commit"),
    strength = suggestion,
    server = Memory
)]
#[derive(Debug)]
pub struct AfterCommit;

/// When a session begins: what earlier ones left.
#[lifecycle::hook(
    session_start,
    strength = important,
    context_tool = "search_memories",
    context_tool_args(query = "recent work and decisions", mode = "probe", project = "{project_name}"),
    server = Memory
)]
#[derive(Debug)]
pub struct RecentWork;

/// When a session ends: a last chance to store.
#[lifecycle::hook(session_end, strength = suggestion, server = Memory)]
#[derive(Debug)]
pub struct SessionEnding;
