use hooks_sdk::{core::Verdict, prelude::*};

struct Policy;

#[aos::hook(toolCallRequest)]
async fn check(_policy: &Policy, _call: &ToolCallRequest) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

fn main() {}
