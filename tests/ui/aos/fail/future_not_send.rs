use hooks_sdk::{core::Verdict, prelude::*};

struct Policy;

#[aos::hook(tool_call_request)]
async fn check(_policy: &Policy, _call: &ToolCallRequest) -> Verdict<ToolCallRequest> {
    let count = std::rc::Rc::new(1);
    std::future::ready(()).await;
    drop(count);
    Verdict::Allow
}

fn main() {}
