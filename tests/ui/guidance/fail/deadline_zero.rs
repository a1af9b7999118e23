use hooks_sdk::prelude::*;

struct Memory;

#[guidance::hook(session, start, requirement = MAY, name = "Words", deadline_ms = 0)]
async fn recall(_memory: &Memory) -> String {
    String::new()
}

fn main() {}
