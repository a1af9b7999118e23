use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory<T>(T);

#[hooks_sdk::hooks]
impl<T> Memory<T> {
    #[mcpl::hook(enabled, feature_set = Recall)]
    async fn recall(&self) {}
}

fn main() {}
