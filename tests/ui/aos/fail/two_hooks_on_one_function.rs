use hooks_sdk::{core::Verdict, prelude::*};

struct Policy;

#[aos::hook(tool_call_request)]
#[aos::hook(memory_store)]
async fn check(_policy: &Policy) -> Verdict<std::convert::Infallible> {
    Verdict::Allow
}

fn main() {}
