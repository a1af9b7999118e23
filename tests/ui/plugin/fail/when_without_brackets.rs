use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, when = args.path, deny = "no")]
struct Rule;

fn main() {}
