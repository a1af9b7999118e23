use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, deny = "no")]
enum Rule {
    A,
}

fn main() {}
