use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[mcpl::hook(enabled, feature_set = Recall)]
async fn recall(_memory: &Memory) {
    let words = std::rc::Rc::new(());
    std::future::ready(()).await;
    drop(words);
}

fn main() {}
