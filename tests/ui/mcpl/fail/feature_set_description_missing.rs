use hooks_sdk::prelude::*;

#[mcpl::feature_set("memory.recall")]
struct Recall;

fn main() {}
