use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, context_tool = "")]
struct Words;

fn main() {}
