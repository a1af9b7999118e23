use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(tool_pre_invoke, deadline = "500")]
async fn check(_memory: &Memory, _call: &ToolCall) {}

fn main() {}
