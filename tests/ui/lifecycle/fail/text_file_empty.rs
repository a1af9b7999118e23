use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text_file = "empty.md")]
struct Words;

fn main() {}
