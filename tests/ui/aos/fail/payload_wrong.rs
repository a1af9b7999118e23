use hooks_sdk::{aos::Memory, core::Verdict, prelude::*};

struct Policy;

#[aos::hook(tool_call_request)]
async fn check(_policy: &Policy, _memory: &Memory) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

fn main() {}
