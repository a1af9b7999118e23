use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, priority = suggestion, context_tool_args(limit = 5))]
async fn recall() -> String {
    String::new()
}

fn main() {}
