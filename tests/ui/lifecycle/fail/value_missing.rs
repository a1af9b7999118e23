use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority, context = "Hello.")]
struct Words;

fn main() {}
