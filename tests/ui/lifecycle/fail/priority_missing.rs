use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, context = "Hello.")]
struct Words;

fn main() {}
