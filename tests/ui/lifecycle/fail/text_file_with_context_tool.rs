use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text_file = "words.md", context_tool = "recall")]
struct Words;

fn main() {}
