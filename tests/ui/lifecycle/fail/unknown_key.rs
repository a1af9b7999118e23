use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strenght = suggestion, text = "Hello.")]
struct Words;

fn main() {}
