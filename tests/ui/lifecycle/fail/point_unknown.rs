use hooks_sdk::lifecycle;

#[lifecycle::hook(session_begin, priority = suggestion, context = "Hello.")]
struct Words;

fn main() {}
