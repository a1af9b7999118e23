use hooks_sdk::{core::Verdict, prelude::*};

struct Policy;

#[hooks_sdk::hooks]
impl Policy {
    #[aos::hook(tool_call_request)]
    async fn check(&mut self) -> Verdict<ToolCallRequest> {
        Verdict::Allow
    }
}

fn main() {}
