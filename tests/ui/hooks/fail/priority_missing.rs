use hooks_sdk::prelude::*;

struct Memory;

#[hooks_sdk::hooks]
impl Memory {
    #[lifecycle::hook(session_start)]
    async fn recall(&self) -> String {
        String::new()
    }
}

fn main() {}
