use hooks_sdk::lifecycle;

#[lifecycle::hook(pre_tool_use, priority = suggestion, matcher(input_contains = ""), context = "Hello.")]
struct Words;

fn main() {}
