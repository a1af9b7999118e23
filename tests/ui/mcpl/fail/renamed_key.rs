use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[mcpl::hook(rollback, feature_set = Recall, deadline_ms = 500)]
async fn recall(_memory: &Memory) {}

fn main() {}
