use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text = 1)]
struct Words;

fn main() {}
