use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(tool_pre_invoke, mode = sequential)]
async fn check(_memory: &Memory, _call: &ToolCall) {}

fn main() {}
