use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, when(not(args.a, args.b)), deny = "no")]
struct Rule;

fn main() {}
