use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, text = "words.md", context = "Hello.")]
struct Words;

fn main() {}
