use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text_file = "load_contxt.md")]
struct Words;

fn main() {}
