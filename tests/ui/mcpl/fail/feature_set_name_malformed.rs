use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory..recall")]
struct Recall;

fn main() {}
