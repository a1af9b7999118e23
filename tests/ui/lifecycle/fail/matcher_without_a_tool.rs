use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, matcher(tool_name = "Bash"), text = "Hello.")]
struct Words;

fn main() {}
