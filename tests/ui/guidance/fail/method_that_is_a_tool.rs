use hooks_sdk::prelude::*;
use rmcp::{tool, tool_router};

struct Memory;

#[hooks_sdk::hooks]
#[tool_router]
impl Memory {
    #[tool(description = "Recalls.")]
    #[guidance::hook(session, start, requirement = MAY, name = "Words")]
    async fn recall(&self) -> String {
        String::new()
    }
}

fn main() {}
