use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, context = "Hello.", context_tool = "recall")]
struct Words;

fn main() {}
