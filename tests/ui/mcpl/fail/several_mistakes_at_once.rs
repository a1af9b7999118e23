use hooks_sdk::prelude::*;

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[mcpl::hook(feature_set = "Recall", blocking = 1, inject(1, system), priority = high)]
fn recall(_memory: Memory) {}

fn main() {}
