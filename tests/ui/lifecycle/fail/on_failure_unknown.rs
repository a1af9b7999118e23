use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion, on_failure = skip)]
async fn recall() -> String {
    String::new()
}

fn main() {}
