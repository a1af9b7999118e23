use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, deny = "no")]
#[plugin::hook(prompt_pre_fetch, deny = "no")]
struct Rule;

fn main() {}
