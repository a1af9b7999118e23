use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[mcpl::hook(before_inference, feature_set = Recall)]
async fn recall(_memory: &Memory, _turn: &BeforeInference, _cx: &mcpl::Context, _limit: u8) {}

fn main() {}
