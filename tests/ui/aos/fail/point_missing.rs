use hooks_sdk::{core::Verdict, prelude::*};

struct Policy;

#[aos::hook(priority = 1)]
async fn check(_policy: &Policy, _call: &ToolCallRequest) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

fn main() {}
