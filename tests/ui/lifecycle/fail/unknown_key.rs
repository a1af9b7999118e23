use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, prioritty = suggestion, context = "Hello.")]
struct Words;

fn main() {}
