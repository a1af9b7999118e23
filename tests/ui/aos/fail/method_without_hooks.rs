use hooks_sdk::{core::Verdict, prelude::*};

struct Policy;

impl Policy {
    #[aos::hook(tool_call_request)]
    async fn check(&self) -> Verdict<ToolCallRequest> {
        Verdict::Allow
    }
}

fn main() {}
