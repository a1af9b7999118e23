use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.", id = "After Commit")]
struct Words;

fn main() {}
