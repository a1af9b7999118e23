use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, context = "Hello.", description = "Says hello.")]
struct Words;

fn main() {}
