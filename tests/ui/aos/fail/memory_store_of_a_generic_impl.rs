use hooks_sdk::prelude::*;

struct Memory<T>(T);

#[hooks_sdk::hooks]
impl<T> Memory<T> {
    #[aos::memory_store(content = "args.text")]
    #[rmcp::tool(description = "Edits.")]
    async fn edit(&self) -> String {
        String::new()
    }
}

fn main() {}
