use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggested, text = "Hello.")]
struct Words;

fn main() {}
