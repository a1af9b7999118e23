use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, text = "too_long.md")]
struct Words;

fn main() {}
