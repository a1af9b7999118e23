use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, unless(), deny = "no")]
struct Rule;

fn main() {}
