use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, when(value = "/etc/**"), deny = "no")]
struct Rule;

fn main() {}
