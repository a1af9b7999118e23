use hooks_sdk::prelude::*;

struct Memory;

#[hooks_sdk::hooks]
impl Memory {
    #[guidance::hook(session, start, name = "Words")]
    async fn recall(&self) -> String {
        String::new()
    }
}

fn main() {}
