//! An author's strictest crate.

#![forbid(unsafe_code, missing_docs)]
#![deny(
    warnings,
    unused,
    nonstandard_style,
    rust_2018_idioms,
    unreachable_pub,
    missing_debug_implementations,
    missing_copy_implementations
)]
#![deny(
    unused_qualifications,
    unused_results,
    single_use_lifetimes,
    let_underscore_drop
)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery)]

use hooks_sdk::prelude::*;

/// A server.
#[derive(Debug, Default)]
pub struct Memory {
    words: String,
}

/// Words.
#[lifecycle::hook(
    post_tool_use,
    matcher(tool_name = "Bash"),
    strength = suggestion,
    text = "{tool_output}",
    server = Memory
)]
#[derive(Clone, Copy, Debug)]
pub struct AfterCommit;

#[lifecycle::hook(session_end, strength = suggestion, context_tool = "recall", context_tool_args(limit = 5))]
struct Goodbye;

/// Recalls.
#[lifecycle::hook(session_start, strength = required, deadline = "100ms", on_failure = disable)]
pub async fn recall(memory: &Memory, start: &SessionStart) -> String {
    std::future::ready(()).await;
    format!("{} {:?}", memory.words, start.project_name)
}

#[lifecycle::hook(pre_request, strength = required)]
async fn everywhere() -> &'static str {
    std::future::ready("").await
}

#[hooks_sdk::hooks]
impl Memory {
    #[lifecycle::hook(pre_tool_use, matcher(tool_name = "*"), strength = important)]
    async fn before(&self, call: &PreToolUse) -> Result<Option<&'static str>, std::fmt::Error> {
        std::future::ready(()).await;
        let _ = (&self.words, call);
        Ok(None)
    }

    /// Documented and public.
    #[lifecycle::hook(post_request, strength = important)]
    pub async fn after(&self) -> String {
        std::future::ready(self.words.clone()).await
    }
}
