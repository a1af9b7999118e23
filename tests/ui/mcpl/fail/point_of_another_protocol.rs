use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[mcpl::hook(session_start, feature_set = Recall)]
async fn recall(_memory: &Memory) {}

fn main() {}
