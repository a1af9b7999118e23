use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, deny = "no", code = "")]
struct Rule;

fn main() {}
