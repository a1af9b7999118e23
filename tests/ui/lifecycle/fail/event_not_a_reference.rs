use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion)]
async fn recall(_memory: &Memory, _start: SessionStart) -> String {
    String::new()
}

fn main() {}
