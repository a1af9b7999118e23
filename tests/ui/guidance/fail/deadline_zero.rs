use hooks_sdk::prelude::*;

struct Memory;

#[guidance::hook(session, start, requirement = MAY, name = "Words", deadline = "0ms")]
async fn recall(_memory: &Memory) -> String {
    String::new()
}

fn main() {}
