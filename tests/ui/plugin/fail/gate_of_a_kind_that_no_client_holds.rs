use hooks_sdk::prelude::*;

#[plugin::hook(agent_tool_pre_invoke, kind = [shell, shell_input], deny = "no shell", posture = deny)]
struct NoShell;

fn main() {}
