use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, when(args.a && args.b), deny = "no")]
struct Rule;

fn main() {}
