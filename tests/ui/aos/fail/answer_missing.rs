use hooks_sdk::prelude::*;

struct Policy;

#[aos::hook(tool_call_request)]
async fn check(_policy: &Policy, _call: &ToolCallRequest) {
    std::future::ready(()).await;
}

fn main() {}
