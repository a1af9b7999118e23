use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall", sends(push, inference), optional(push))]
struct Recall;

fn main() {}
