use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, kind = shell, deny = "not now")]
struct NotNow;

fn main() {}
