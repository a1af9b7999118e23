use hooks_sdk::lifecycle;

#[lifecycle::hook(post_tool_us, priority = suggestion, matcher(tool_name = "Bash"), context = "{tool_output}")]
struct Words;

fn main() {}
