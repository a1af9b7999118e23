use hooks_sdk::prelude::*;

#[lifecycle::hook(session_start, priority = suggestion, context = "Hello.")]
struct OldWords;

#[lifecycle::hook(session_start, strength = suggestion, text = "welcome.md")]
struct OldFile;

#[lifecycle::hook(session_start, strength = suggestion, deadline_ms = 500)]
async fn old_time() -> String {
    String::new()
}

fn main() {}
