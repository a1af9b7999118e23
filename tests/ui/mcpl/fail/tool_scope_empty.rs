use hooks_sdk::prelude::*;
use rmcp::{tool, tool_router};

/// Edits.
#[mcpl::feature_set("memory.files", scoped)]
struct Files;

struct Memory;

#[tool_router]
#[hooks_sdk::hooks]
impl Memory {
    #[mcpl::tool(feature_set = Files, scope = "")]
    #[tool(description = "Edits.")]
    async fn edit(&self) -> String {
        String::new()
    }
}

fn main() {}
