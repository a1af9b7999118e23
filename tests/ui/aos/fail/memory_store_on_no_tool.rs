use hooks_sdk::prelude::*;

struct Memory;

#[hooks_sdk::hooks]
impl Memory {
    #[aos::memory_store(content = "args.text")]
    async fn edit(&self) -> String {
        String::new()
    }
}

fn main() {}
