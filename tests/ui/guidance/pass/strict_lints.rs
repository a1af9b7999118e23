//! An author's strictest crate.

#![forbid(unsafe_code, missing_docs)]
#![deny(
    warnings,
    unused,
    dead_code,
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
#[guidance::hook(
    action,
    start,
    requirement = SHOULD,
    name = "Words",
    text = "Hello.",
    weight = -5,
    storage("sqlite"),
    features(sampling, tools),
    config(debug = true, "limits.max" = 5),
    tags("a"),
    dependencies("session:start:hello"),
    blocking = true,
    required = false,
    tool = "store_*",
    server = Memory
)]
#[derive(Clone, Copy, Debug)]
pub struct Words;

#[guidance::hook(session, end, requirement = MAY, name = "Goodbye", text_file = "words/named.md")]
struct Goodbye;

/// Recalls.
#[guidance::hook(session, start, requirement = MUST, name = "Recall", deadline = "100ms", posture = proceed)]
pub async fn recall(memory: &Memory, firing: &Firing) -> String {
    std::future::ready(()).await;
    format!("{} {:?}", memory.words, firing.tool)
}

#[guidance::hook(config, running, requirement = MUST, name = "Everywhere")]
async fn everywhere() -> &'static str {
    std::future::ready("").await
}

#[hooks_sdk::hooks]
impl Memory {
    #[guidance::hook(action, running, requirement = MUST_NOT, name = "Before", tool = "*")]
    async fn before(&self, firing: &Firing) -> Result<Option<&'static str>, std::fmt::Error> {
        std::future::ready(()).await;
        let _ = (&self.words, firing);
        Ok(None)
    }

    /// Documented and public.
    #[guidance::hook(session, progress, requirement = SHOULD_NOT, name = "After")]
    pub async fn after(&self) -> String {
        std::future::ready(self.words.clone()).await
    }
}

guidance::dir!("guidance/dirs/good");
guidance::dir!("guidance/dirs/folder_of_hooks", server = Memory);
