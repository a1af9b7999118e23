use hooks_sdk::{core::Verdict, prelude::*};

struct Policy<T>(T);

#[hooks_sdk::hooks]
impl<T> Policy<T> {
    #[aos::hook(tool_call_request)]
    async fn check(&self) -> Verdict<ToolCallRequest> {
        Verdict::Allow
    }
}

fn main() {}
