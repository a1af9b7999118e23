use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, tool = "delete_*")]
struct Rule;

fn main() {}
