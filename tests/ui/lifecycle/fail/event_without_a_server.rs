use hooks_sdk::prelude::*;

#[lifecycle::hook(session_start, strength = suggestion)]
async fn recall(_start: &SessionStart) -> String {
    String::new()
}

fn main() {}
