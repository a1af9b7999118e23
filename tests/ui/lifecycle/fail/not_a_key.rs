use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, "Hello.", priority = suggestion, context = "Hello.")]
struct Words;

fn main() {}
