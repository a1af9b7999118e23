use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.", session_end)]
struct Words;

fn main() {}
