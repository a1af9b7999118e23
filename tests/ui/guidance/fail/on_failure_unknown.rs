use hooks_sdk::prelude::*;

struct Memory;

#[guidance::hook(session, start, requirement = MAY, name = "Words", on_failure = retry)]
async fn recall(_memory: &Memory) -> String {
    String::new()
}

fn main() {}
