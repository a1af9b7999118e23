use hooks_sdk::prelude::*;

struct Memory;

#[guidance::hook(session, start, requirement = MAY, name = "Words")]
async fn recall<S>(_memory: &S) -> String {
    String::new()
}

fn main() {}
