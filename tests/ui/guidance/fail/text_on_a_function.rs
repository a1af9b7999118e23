use hooks_sdk::prelude::*;

struct Memory;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.")]
async fn recall(_memory: &Memory) -> String {
    String::new()
}

fn main() {}
