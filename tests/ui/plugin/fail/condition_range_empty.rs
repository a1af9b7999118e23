use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, when(args.count = 10..10), deny = "no")]
struct Rule;

fn main() {}
