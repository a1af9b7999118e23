use std::convert::Infallible;

use hooks_sdk::{aos::A2aMessage, core::Verdict, prelude::*};

struct Policy;

#[aos::hook(tasks_cancel)]
async fn check(_policy: &Policy, task: &A2aMessage) -> Verdict<Infallible> {
    Verdict::Modify(task.clone())
}

fn main() {}
