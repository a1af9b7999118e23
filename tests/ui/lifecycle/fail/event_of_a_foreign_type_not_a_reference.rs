use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(post_tool_use, strength = suggestion)]
async fn recall(_memory: &Memory, _tool: String) -> String {
    String::new()
}

fn main() {}
