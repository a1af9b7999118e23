use hooks_sdk::{aos::A2aMessage, core::Verdict, prelude::*};

struct Policy;

#[aos::hook(tasks_cancel)]
async fn check(_policy: &Policy, task: &A2aMessage) -> Verdict<A2aMessage> {
    Verdict::Modify(task.clone())
}

fn main() {}
