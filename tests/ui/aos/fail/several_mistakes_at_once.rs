use hooks_sdk::{core::Verdict, prelude::*};

struct Policy;

#[aos::hook(tool_call_request, priority = "1", deadline = 5, tags = "a", on_failure = fail)]
async fn check(_policy: &Policy, _call: &ToolCallRequest) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

fn main() {}
