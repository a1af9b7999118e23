use hooks_sdk::{plugin::ToolCall as Call, prelude::*};

#[plugin::hook(tool_pre_invoke)]
async fn check(_call: &Call) {}

fn main() {}
