use std::rc::Rc;

use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion)]
async fn recall(_memory: &Memory) -> String {
    let local = Rc::new(1);
    std::future::ready(()).await;
    local.to_string()
}

fn main() {}
