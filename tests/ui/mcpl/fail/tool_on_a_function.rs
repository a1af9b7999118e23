use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

#[mcpl::tool(feature_set = Recall)]
async fn edit() {}

fn main() {}
