use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, when(args.mode = ["a", "[b-a]"]), deny = "no")]
struct Rule;

fn main() {}
