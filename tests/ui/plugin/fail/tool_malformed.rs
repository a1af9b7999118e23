use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(tool_pre_invoke, tool = ["read", "delete_["])]
async fn check(_memory: &Memory, _call: &ToolCall) {}

fn main() {}
