use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength, text = "Hello.")]
struct Words;

fn main() {}
