use hooks_sdk::{core::Verdict, prelude::*};

struct Policy;

#[aos::hook(tool_call_request)]
async fn check(_policy: &Policy, _call: &ToolCallRequest) -> Result<Verdict<ToolCallRequest>, String> {
    Ok(Verdict::Allow)
}

fn main() {}
