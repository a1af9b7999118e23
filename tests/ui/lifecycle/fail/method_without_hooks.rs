use hooks_sdk::prelude::*;

struct Memory;

impl Memory {
    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn recall(&self) -> String {
        String::new()
    }
}

fn main() {}
