use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, matcher(tool_name = "Bash"), context = "Hello.")]
struct Words;

fn main() {}
