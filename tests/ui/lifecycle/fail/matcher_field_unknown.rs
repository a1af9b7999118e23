use hooks_sdk::lifecycle;

#[lifecycle::hook(pre_tool_use, priority = suggestion, matcher(tool = "Bash"), context = "Hello.")]
struct Words;

fn main() {}
