use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, when(user = "root", result.isError = true), deny = "no")]
struct Rule;

fn main() {}
