use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

#[mcpl::hook(enabled, feature_set = Recall)]
struct Words;

fn main() {}
