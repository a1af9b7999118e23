use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion)]
async fn recall<S: Send + Sync>(store: &S) -> String {
    let _ = store;
    String::new()
}

fn main() {}
