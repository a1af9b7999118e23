use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.")]
async fn recall() -> String {
    String::new()
}

fn main() {}
