use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, text = "Hello.")]
struct Words;

fn main() {}
