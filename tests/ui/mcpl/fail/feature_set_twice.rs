use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
#[mcpl::feature_set("memory.store")]
struct Recall;

fn main() {}
