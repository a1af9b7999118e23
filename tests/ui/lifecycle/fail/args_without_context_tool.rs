use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, context_tool_args(limit = 5))]
struct Words;

fn main() {}
