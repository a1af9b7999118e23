use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.", context_tool = "recall")]
struct Words;

fn main() {}
