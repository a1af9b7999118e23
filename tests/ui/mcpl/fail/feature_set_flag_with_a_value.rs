use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall", scoped = true)]
struct Recall;

fn main() {}
