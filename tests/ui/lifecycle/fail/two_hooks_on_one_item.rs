use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.")]
#[lifecycle::hook(session_end, strength = suggestion, text = "Goodbye.", id = "goodbye")]
struct Words;

fn main() {}
