use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text_file = "words.md", text = "Hello.")]
struct Words;

fn main() {}
