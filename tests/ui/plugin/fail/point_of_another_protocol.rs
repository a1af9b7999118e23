use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(pre_tool_use)]
async fn check(_memory: &Memory, _call: &ToolCall) {}

fn main() {}
