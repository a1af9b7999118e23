use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall", later, later)]
struct Recall;

fn main() {}
