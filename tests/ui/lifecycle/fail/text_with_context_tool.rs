use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, text = "words.md", context_tool = "recall")]
struct Words;

fn main() {}
