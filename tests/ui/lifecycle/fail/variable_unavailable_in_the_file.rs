use hooks_sdk::lifecycle;

#[lifecycle::hook(pre_tool_use, strength = suggestion)]
struct AfterTool;

fn main() {}
