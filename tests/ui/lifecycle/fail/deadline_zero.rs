use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, priority = suggestion, deadline_ms = 0)]
async fn recall() -> String {
    String::new()
}

fn main() {}
