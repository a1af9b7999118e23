use hooks_sdk::prelude::*;

struct Memory;

#[hooks_sdk::hooks(lifecycle)]
impl Memory {
    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn recall(&self) -> String {
        String::new()
    }
}

fn main() {}
