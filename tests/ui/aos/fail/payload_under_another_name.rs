use hooks_sdk::{aos::ToolCallRequest as Call, core::Verdict, prelude::*};

#[aos::hook(tool_call_request)]
async fn check(_call: &Call) -> Verdict<Call> {
    Verdict::Allow
}

fn main() {}
