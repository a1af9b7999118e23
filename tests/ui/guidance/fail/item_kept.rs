use hooks_sdk::prelude::*;

struct Memory;

// The one error is the attribute's: the item it stands on is still there for everything else.
#[guidance::hook(session, start, name = "Words")]
async fn recall(_memory: &Memory) -> String {
    String::new()
}

async fn elsewhere() -> String {
    recall(&Memory).await
}

fn main() {}
