use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(tool = "delete_*")]
async fn check(_memory: &Memory, _call: &ToolCall) {}

fn main() {}
