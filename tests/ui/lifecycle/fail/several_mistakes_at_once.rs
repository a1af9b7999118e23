use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, prority = suggestion, context = "Hello.", description = "Says hello.", text = "words.md")]
struct Words;

fn main() {}
