use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, context_tool = "")]
struct Words;

fn main() {}
