use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text = " ")]
struct Words;

fn main() {}
