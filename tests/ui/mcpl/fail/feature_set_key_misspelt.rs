use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[mcpl::hook(enabled, featureset = Recall)]
async fn recall(_memory: &Memory) {}

fn main() {}
