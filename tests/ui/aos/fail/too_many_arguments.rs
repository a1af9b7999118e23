use hooks_sdk::{core::Verdict, prelude::*};

struct Policy;

#[aos::hook(tool_call_request)]
async fn check(_policy: &Policy, _call: &ToolCallRequest, _cx: &StepInfo, _more: &u8) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

fn main() {}
