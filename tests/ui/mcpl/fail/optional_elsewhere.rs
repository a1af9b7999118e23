use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[mcpl::hook(lifecycle, feature_set = Recall, optional(system))]
async fn recall(_memory: &Memory) {}

fn main() {}
