use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set(memory)]
struct Recall;

fn main() {}
