use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, deny = "no")]
struct Rule<T>;

fn main() {}
