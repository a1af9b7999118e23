use hooks_sdk::{core::Verdict, prelude::*};

struct Policy;

#[aos::hook(tool_pre_invoke)]
async fn check(_policy: &Policy, _call: &ToolCallRequest) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

fn main() {}
