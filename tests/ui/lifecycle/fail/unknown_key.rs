use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, prioritty = suggestion, text = "Hello.")]
struct Words;

fn main() {}
