use hooks_sdk::prelude::*;
use rmcp::{tool, tool_router};

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[tool_router]
impl Memory {
    #[mcpl::tool(feature_set = Recall)]
    #[tool(description = "Edits.")]
    async fn edit(&self) -> String {
        String::new()
    }
}

fn main() {}
