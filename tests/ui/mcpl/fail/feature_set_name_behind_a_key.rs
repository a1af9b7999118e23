use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set(scoped, "memory.recall")]
struct Recall;

fn main() {}
