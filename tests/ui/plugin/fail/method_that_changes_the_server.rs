use hooks_sdk::prelude::*;

struct Memory;

#[hooks_sdk::hooks]
impl Memory {
    #[plugin::hook(tool_pre_invoke)]
    async fn check(&mut self, _call: &ToolCall) {}
}

fn main() {}
