use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion)]
const WORDS: &str = "Hello.";

fn main() {}
