use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[mcpl::hook(before_inference, feature_set = Recall, deadline = "5s")]
async fn recall(_memory: &Memory) {}

fn main() {}
