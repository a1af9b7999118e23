use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, context = "Hello.")]
#[lifecycle::hook(session_end, priority = suggestion, context = "Goodbye.", id = "goodbye")]
struct Words;

fn main() {}
