use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(tool_pre_invoke)]
async fn check(_memory: &Memory, _call: &ToolCall, _cx: &PluginContext) {}

fn main() {}
