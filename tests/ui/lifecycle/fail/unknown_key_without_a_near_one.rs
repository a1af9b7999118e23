use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, when = always, context = "Hello.")]
struct Words;

fn main() {}
