use std::rc::Rc;

use hooks_sdk::prelude::*;

struct Memory;

#[guidance::hook(session, start, requirement = MAY, name = "Words")]
async fn recall(_memory: &Memory) -> String {
    let local = Rc::new(1);
    std::future::ready(()).await;
    local.to_string()
}

fn main() {}
