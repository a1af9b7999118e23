use hooks_sdk::prelude::*;
use rmcp::{tool, tool_router};

struct Memory;

#[tool_router]
impl Memory {
    #[aos::memory_retrieval]
    #[tool(description = "Edits.")]
    async fn edit(&self) -> String {
        String::new()
    }
}

fn main() {}
