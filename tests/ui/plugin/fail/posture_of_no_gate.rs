use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, deny = "not now", posture = deny)]
struct NotNow;

fn main() {}
