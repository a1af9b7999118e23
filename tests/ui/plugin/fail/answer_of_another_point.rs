use hooks_sdk::{core::Verdict, prelude::*};

struct Memory;

#[plugin::hook(tool_pre_invoke)]
async fn check(_memory: &Memory, _call: &ToolCall) -> Verdict<ToolResult> {
    Verdict::Allow
}

fn main() {}
