use hooks_sdk::prelude::*;
use rmcp::{tool, tool_router};

struct Memory;

#[hooks_sdk::hooks]
#[tool_router]
impl Memory {
    #[tool(description = "Recalls.")]
    #[lifecycle::hook(session_start, strength = suggestion, deadline = "100ms")]
    async fn recall(&self) -> String {
        String::new()
    }
}

fn main() {}
