use hooks_sdk::lifecycle;

#[lifecycle::hook(post_tool_us, strength = suggestion, matcher(tool_name = "Bash"), text = "{tool_output}")]
struct Words;

fn main() {}
