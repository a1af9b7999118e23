use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion)]
async fn recall(_memory: &Memory, _start: &SessionStart, _limit: u8) -> String {
    String::new()
}

fn main() {}
