use hooks_sdk::{core::Verdict, prelude::*};

struct Memory;

#[plugin::hook(tool_pre_invoke, mode = concurrent)]
async fn check(_memory: &Memory, _call: &ToolCall) -> Verdict<ToolCall> {
    Verdict::Allow
}

fn main() {}
