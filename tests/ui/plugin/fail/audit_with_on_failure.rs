use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(tool_pre_invoke, mode = audit, on_failure = fail)]
async fn check(_memory: &Memory, _call: &ToolCall) {}

fn main() {}
