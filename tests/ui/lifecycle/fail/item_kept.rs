use hooks_sdk::prelude::*;

struct Memory;

// The one error is the attribute's: the item it stands on is still there for everything else.
#[lifecycle::hook(session_start)]
async fn recall(_memory: &Memory) -> String {
    String::new()
}

async fn elsewhere() -> String {
    recall(&Memory).await
}

fn main() {}
