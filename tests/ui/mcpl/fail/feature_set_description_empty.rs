use hooks_sdk::prelude::*;

#[mcpl::feature_set("memory.recall", description = " ")]
struct Recall;

fn main() {}
