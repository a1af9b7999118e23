use hooks_sdk::prelude::*;
use rmcp::{tool, tool_router};

/// Recalls.
#[mcpl::feature_set("memory.recall")]
struct Recall;

struct Memory;

#[tool_router]
#[hooks_sdk::hooks]
impl Memory {
    #[mcpl::tool(feature_set = Recall)]
    #[mcpl::tool(feature_set = Recall, guard = false)]
    #[tool(description = "Edits.")]
    async fn edit(&self) -> String {
        String::new()
    }
}

fn main() {}
