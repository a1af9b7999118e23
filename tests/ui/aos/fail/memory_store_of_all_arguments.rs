use hooks_sdk::prelude::*;
use rmcp::{tool, tool_router};

struct Memory;

#[tool_router]
#[hooks_sdk::hooks]
impl Memory {
    #[aos::memory_store(content = "args")]
    #[tool(description = "Edits.")]
    async fn edit(&self) -> String {
        String::new()
    }
}

fn main() {}
