use hooks_sdk::prelude::*;
use rmcp::{tool, tool_router};

struct Memory;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

#[mcpl::hook(after_inference, feature_set = Recall, blocking = true)]
async fn blocking_with_a_value(_memory: &Memory) -> Option<String> {
    None
}

#[mcpl::hook(after_inference, feature_set = Recall, deadline = "10s")]
async fn deadline_above_what_hosts_wait_after(_memory: &Memory) {}

#[mcpl::feature_set("memory.recall", description = " ")]
struct FeatureSetDescriptionEmpty;

#[mcpl::feature_set("memory.recall")]
struct FeatureSetDescriptionMissing;

#[mcpl::feature_set("memory recall", scoped = 1, usses)]
struct FeatureSetItemKept;

fn recall() -> FeatureSetItemKept {
    FeatureSetItemKept
}

/// Recalls.
#[mcpl::feature_set(memory)]
struct FeatureSetNameAWord;

/// Recalls.
#[mcpl::feature_set("memory..recall")]
struct FeatureSetNameMalformed;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
async fn feature_set_on_a_function() {}

#[mcpl::hook(after_inference, feature_set = Recall, inject(system))]
async fn inject_elsewhere(_memory: &Memory) {}

#[mcpl::hook(enabled, feature_set = Recall)]
struct OnAUnitStruct;

#[mcpl::hook(before_inference, feature_set = Recall, inject(system), optional(system))]
async fn position_needed_and_optional(_memory: &Memory) -> Option<Injection> {
    None
}

#[mcpl::tool(feature_set = Recall)]
async fn tool_on_a_function() {}

/// Edits.
#[mcpl::feature_set("memory.files", scoped)]
struct Files;

#[tool_router]
#[hooks_sdk::hooks]
impl Memory {
    #[mcpl::tool(feature_set = Files, scope = "")]
    #[tool(description = "Edits.")]
    async fn empty_scope(&self) -> String {
        String::new()
    }

    #[mcpl::tool(feature_set = Recall)]
    #[mcpl::tool(feature_set = Recall, guard = false)]
    #[tool(description = "Edits.")]
    async fn tool_twice(&self) -> String {
        String::new()
    }
}

#[hooks_sdk::hooks]
impl Memory {
    #[mcpl::tool(feature_set = Recall)]
    async fn tool_that_is_none(&self) -> String {
        String::new()
    }
}

#[tool_router(router = without_hooks)]
impl Memory {
    #[mcpl::tool(feature_set = Recall)]
    #[tool(description = "Edits.")]
    async fn tool_without_hooks(&self) -> String {
        String::new()
    }
}

#[mcpl::hook(enabled, feature_set = Recall, always)]
async fn unknown_word(_memory: &Memory) {}

fn main() {}
