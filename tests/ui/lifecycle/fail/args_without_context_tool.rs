use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, context_tool_args(limit = 5))]
struct Words;

fn main() {}
