use hooks_sdk::lifecycle;

#[lifecycle::hook(pre_tool_use, strength = suggestion, matcher(tool_name = "Bash", tool_name = "Read"), text = "Hello.")]
struct Words;

fn main() {}
