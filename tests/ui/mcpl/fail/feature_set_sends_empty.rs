use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall", sends())]
struct Recall;

fn main() {}
