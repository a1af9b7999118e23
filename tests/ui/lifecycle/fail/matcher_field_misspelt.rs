use hooks_sdk::lifecycle;

#[lifecycle::hook(pre_tool_use, priority = suggestion, matcher(tool_nam = "Bash"), context = "Hello.")]
struct Words;

fn main() {}
