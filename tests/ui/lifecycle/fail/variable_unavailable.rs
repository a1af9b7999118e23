use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, context = "after {tool_output}")]
struct Words;

fn main() {}
