use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[mcpl::hook(after_inference, feature_set = Recall, blocking = true)]
async fn redact(_memory: &Memory) -> Option<String> {
    None
}

fn main() {}
