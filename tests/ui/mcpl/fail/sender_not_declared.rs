use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

fn push<F: mcpl::Sends<mcpl::sender::push>>() {}

fn remind() {
    push::<Recall>();
}

fn main() {}
