use hooks_sdk::{core::Verdict, prelude::*};

#[aos::hook(tool_call_request)]
async fn check<S>(_policy: &S, _call: &ToolCallRequest) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

fn main() {}
