use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, context = " ")]
struct Words;

fn main() {}
