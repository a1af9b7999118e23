use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, text = "../../../../README.md")]
struct Words;

fn main() {}
