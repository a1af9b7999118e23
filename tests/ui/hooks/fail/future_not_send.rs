use std::rc::Rc;

use hooks_sdk::prelude::*;

struct Memory;

#[hooks_sdk::hooks]
impl Memory {
    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn recall(&self) -> String {
        let local = Rc::new(1);
        std::future::ready(()).await;
        local.to_string()
    }
}

fn main() {}
