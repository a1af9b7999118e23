use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text_file = "too_long.md")]
struct Words;

fn main() {}
