use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion, context_tool_args(limit = 5))]
async fn recall() -> String {
    String::new()
}

fn main() {}
