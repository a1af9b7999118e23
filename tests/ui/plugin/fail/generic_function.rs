use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(tool_pre_invoke)]
async fn check<S>(_memory: &S, _call: &ToolCall) {}

fn main() {}
