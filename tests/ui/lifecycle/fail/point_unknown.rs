use hooks_sdk::lifecycle;

#[lifecycle::hook(session_begin, strength = suggestion, text = "Hello.")]
struct Words;

fn main() {}
