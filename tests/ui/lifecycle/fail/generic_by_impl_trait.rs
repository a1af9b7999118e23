use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion)]
async fn recall(store: &(impl Send + Sync)) -> String {
    let _ = store;
    String::new()
}

fn main() {}
