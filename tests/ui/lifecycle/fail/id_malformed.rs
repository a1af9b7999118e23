use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, context = "Hello.", id = "After Commit")]
struct Words;

fn main() {}
