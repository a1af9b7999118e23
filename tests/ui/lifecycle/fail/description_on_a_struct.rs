use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.", description = "Says hello.")]
struct Words;

fn main() {}
