use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, when(args.user-id = 5), deny = "no")]
struct Rule;

fn main() {}
