use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, when(args.count = 100..=10), deny = "no")]
struct Rule;

fn main() {}
