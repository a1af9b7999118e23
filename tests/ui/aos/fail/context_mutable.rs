use hooks_sdk::{core::Verdict, prelude::*};

struct Policy;

#[aos::hook(tool_call_request)]
async fn check(_policy: &Policy, _cx: &mut StepInfo) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

fn main() {}
