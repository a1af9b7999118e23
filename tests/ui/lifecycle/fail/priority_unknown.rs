use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggested, context = "Hello.")]
struct Words;

fn main() {}
