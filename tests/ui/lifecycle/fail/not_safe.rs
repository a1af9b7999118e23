use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion)]
async unsafe fn recall(_memory: &Memory) -> String {
    String::new()
}

fn main() {}
