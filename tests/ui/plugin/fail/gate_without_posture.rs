use hooks_sdk::prelude::*;

#[plugin::hook(agent_tool_pre_invoke, kind = shell, deny = "no shell")]
struct NoShell;

fn main() {}
