use hooks_sdk::{core::Verdict, prelude::*};

struct Policy;

#[aos::hook(tool_call_request, priority = 1, priority = 2)]
async fn check(_policy: &Policy, _call: &ToolCallRequest) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

fn main() {}
