use hooks_sdk::prelude::*;

struct Memory;

trait Recall {
    fn recall(&self) -> impl Future<Output = String>;
}

#[hooks_sdk::hooks]
impl Recall for Memory {
    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn recall(&self) -> String {
        String::new()
    }
}

fn main() {}
