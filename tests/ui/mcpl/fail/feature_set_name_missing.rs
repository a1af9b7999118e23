use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set(scoped)]
struct Recall;

fn main() {}
