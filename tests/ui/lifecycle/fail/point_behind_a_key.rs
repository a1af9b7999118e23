use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, context = "Hello.", session_end)]
struct Words;

fn main() {}
