use hooks_sdk::prelude::*;

struct Memory;

impl Memory {
    #[plugin::hook(tool_pre_invoke)]
    async fn check(&self, _call: &ToolCall) {}
}

fn main() {}
