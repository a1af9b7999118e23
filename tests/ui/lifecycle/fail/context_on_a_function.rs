use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, priority = suggestion, context = "Hello.")]
async fn recall() -> String {
    String::new()
}

fn main() {}
