use hooks_sdk::prelude::*;

/// Recall memories
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[mcpl::hook(before_inference, feature_set = Recall)]
async fn recall(_memory: &Memory, _turn: &BeforeInference) -> Result<Option<Injection>, String> {
    Err("the store is locked".to_owned())
}

fn main() {}
