use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, when(arg.path = "/etc/**"), deny = "no")]
struct Rule;

fn main() {}
