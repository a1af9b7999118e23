use hooks_sdk::lifecycle;

#[lifecycle::hook(pre_tool_use, priority = suggestion)]
struct AfterTool;

fn main() {}
