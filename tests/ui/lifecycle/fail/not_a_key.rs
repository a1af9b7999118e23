use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, "Hello.", strength = suggestion, text = "Hello.")]
struct Words;

fn main() {}
