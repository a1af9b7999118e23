use hooks_sdk::lifecycle;

#[lifecycle::hook(pre_tool_use, strength = suggestion, matcher(tool_name = 1), text = "Hello.")]
struct Words;

fn main() {}
