use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion)]
async fn recall(_memory: Memory) -> String {
    String::new()
}

fn main() {}
