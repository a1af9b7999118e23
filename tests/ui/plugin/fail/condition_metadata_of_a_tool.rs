use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, when(metadata.x), deny = "no")]
struct Rule;

fn main() {}
