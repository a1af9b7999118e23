use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, when = always, text = "Hello.")]
struct Words;

fn main() {}
