use hooks_sdk::prelude::*;

struct Memory;

impl Memory {
    #[guidance::hook(session, start, requirement = MAY, name = "Words")]
    async fn recall(&self) -> String {
        String::new()
    }
}

fn main() {}
