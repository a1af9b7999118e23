use hooks_sdk::lifecycle;

#[lifecycle::hook(pre_tool_use, strength = suggestion, matcher(tool_name = "mcp__[a-z"), text = "Hello.")]
struct Words;

fn main() {}
