use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, context_tool = "recall", context_tool_args(limit))]
struct Words;

fn main() {}
