use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion)]
async fn recall(_memory: &Memory) -> String {
    let words = ;
    words
}

async fn elsewhere() -> String {
    recall(&Memory).await
}

fn main() {}
