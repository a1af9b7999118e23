use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[mcpl::hook(rollback, feature_set = Recall, observe = false)]
async fn recall(_memory: &Memory) {}

fn main() {}
