use hooks_sdk::lifecycle;

#[lifecycle::hook(pre_tool_use, strength = suggestion, matcher(input_contains = ""), text = "Hello.")]
struct Words;

fn main() {}
