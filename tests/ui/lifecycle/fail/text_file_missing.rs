use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, text = "load_contxt.md")]
struct Words;

fn main() {}
