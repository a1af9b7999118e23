use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, context = 1)]
struct Words;

fn main() {}
