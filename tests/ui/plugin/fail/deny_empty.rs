use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, deny = "")]
struct Rule;

fn main() {}
