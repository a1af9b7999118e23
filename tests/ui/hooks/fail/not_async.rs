use hooks_sdk::prelude::*;

struct Memory;

#[hooks_sdk::hooks]
impl Memory {
    #[lifecycle::hook(session_start, strength = suggestion)]
    fn recall(&self) -> String {
        String::new()
    }
}

fn main() {}
