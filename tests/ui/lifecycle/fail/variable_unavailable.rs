use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text = "after {tool_output}")]
struct Words;

fn main() {}
