use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion, deadline = "0ms")]
async fn recall() -> String {
    String::new()
}

fn main() {}
