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

/// Recalls.
#[mcpl::feature_set(
    "memory",
    sends(push, inference),
    optional(model_info),
    scoped,
    rollback
)]
#[derive(Clone, Copy, Debug)]
pub struct Recall;

#[mcpl::feature_set("memory.later", description = "Later.", sends(register), later, server = Memory)]
struct Later;

/// Recalls.
#[mcpl::hook(
    before_inference,
    feature_set = Recall,
    inject(system),
    optional(after_user),
    observe = false,
    priority = 1,
    deadline = "100ms",
    posture = proceed
)]
pub async fn recall(memory: &Memory, turn: &BeforeInference, cx: &mcpl::Context) -> Vec<Injection> {
    let _ = std::future::ready((turn, cx)).await;
    vec![Injection::new("memory", Position::System, &*memory.words)]
}

#[mcpl::hook(enabled, feature_set = Later)]
async fn everywhere() {
    std::future::ready(()).await;
}

#[hooks_sdk::hooks]
impl Memory {
    #[mcpl::hook(after_inference, feature_set = Recall, blocking)]
    async fn redact(&self, turn: &AfterInference) -> Result<Option<String>, std::fmt::Error> {
        std::future::ready(()).await;
        let _ = (&self.words, turn);
        Ok(None)
    }

    /// Documented and public.
    #[mcpl::hook(rollback, feature_set = Recall)]
    pub async fn roll_back(&self) {
        let _: &str = std::future::ready(&self.words).await;
    }

    /// Edits.
    #[mcpl::tool(feature_set = Recall, scope = "path")]
    #[rmcp::tool(description = "Edits.")]
    pub async fn edit(&self) -> String {
        std::future::ready(self.words.clone()).await
    }
}
