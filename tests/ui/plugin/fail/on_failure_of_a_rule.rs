use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, deny = "no", on_failure = ignore)]
struct Rule;

fn main() {}
