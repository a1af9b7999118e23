use hooks_sdk::lifecycle;

#[lifecycle::hook(pre_tool_use, priority = suggestion, matcher(tool_name = "Bash", tool_name = "Read"), context = "Hello.")]
struct Words;

fn main() {}
