use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[mcpl::hook(enabled, feature_set = Recall, always)]
async fn recall(_memory: &Memory) {}

fn main() {}
