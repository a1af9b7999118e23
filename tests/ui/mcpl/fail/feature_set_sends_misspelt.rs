use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall", sends(pus))]
struct Recall;

fn main() {}
