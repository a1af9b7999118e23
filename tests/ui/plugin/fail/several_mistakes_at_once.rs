use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(tool_pre_invoke, tool = delete, when(arg.path), mode = strict, deadline = 5, reason = "no")]
async fn check(_memory: &Memory, _call: &ToolCall) {}

fn main() {}
