use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[mcpl::hook(after_inference, feature_set = Recall, inject(system))]
async fn recall(_memory: &Memory) {}

fn main() {}
