use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[mcpl::hook(before_inference, feature_set = Recall, inject(system), optional(system))]
async fn recall(_memory: &Memory) -> Option<Injection> {
    None
}

fn main() {}
