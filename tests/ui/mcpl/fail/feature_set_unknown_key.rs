use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall", uses("tools"))]
struct Recall;

fn main() {}
