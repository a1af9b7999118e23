use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, context_tool = "recall", context_tool_args(limit))]
struct Words;

fn main() {}
