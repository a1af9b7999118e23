use hooks_sdk::prelude::*;

struct Memory;

#[hooks_sdk::hooks]
impl Memory {
    #[plugin::hook(tool_pre_invoke)]
    #[rmcp::tool(description = "Edits.")]
    async fn edit(&self) -> String {
        String::new()
    }
}

fn main() {}
