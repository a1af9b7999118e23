use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

impl Memory {
    #[mcpl::hook(enabled, feature_set = Recall)]
    async fn recall(&self) {}
}

fn main() {}
