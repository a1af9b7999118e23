use hooks_sdk::prelude::*;

#[mcpl::feature_set("memory recall", scoped = 1, usses)]
struct Recall;

fn recall() -> Recall {
    Recall
}

fn main() {}
