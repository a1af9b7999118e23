use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, text = "empty.md")]
struct Words;

fn main() {}
