use hooks_sdk::lifecycle;

#[lifecycle::hook(pre_tool_use, priority = suggestion, matcher(tool_name = 1), context = "Hello.")]
struct Words;

fn main() {}
