use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion)]
const WORDS: &str = "Hello.";

fn main() {}
