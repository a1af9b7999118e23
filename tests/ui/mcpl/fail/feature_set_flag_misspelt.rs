use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall", scopd)]
struct Recall;

fn main() {}
