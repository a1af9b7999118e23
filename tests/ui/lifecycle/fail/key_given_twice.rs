use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, context = "Hello.", priority = required)]
struct Words;

fn main() {}
