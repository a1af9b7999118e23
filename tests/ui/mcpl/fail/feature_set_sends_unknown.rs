use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall", sends(everything))]
struct Recall;

fn main() {}
