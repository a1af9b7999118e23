use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strenght = suggestion, text = "Hello.", description = "Says hello.", text_file = "words.md")]
struct Words;

fn main() {}
