use hooks_sdk::prelude::*;

struct Memory;

#[hooks_sdk::hooks]
impl Memory {
    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn recall() -> String {
        String::new()
    }
}

fn main() {}
