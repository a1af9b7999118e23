use hooks_sdk::{aos::Memory, core::Verdict, prelude::*};

struct Policy;

#[aos::hook(tool_call_request)]
async fn check(_policy: &Policy, _call: &ToolCallRequest) -> Verdict<Memory> {
    Verdict::Allow
}

fn main() {}
