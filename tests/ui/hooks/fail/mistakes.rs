use hooks_sdk::prelude::*;
use rmcp::{tool, tool_router};

struct Memory;

#[hooks_sdk::hooks]
#[tool_router]
impl Memory {
    #[tool(description = "Recalls.")]
    #[lifecycle::hook(session_start, strength = suggestion, deadline = "100ms")]
    async fn deadline_on_a_tool(&self) -> String {
        String::new()
    }
}

#[hooks_sdk::hooks]
impl Memory {
    #[lifecycle::hook(session_start, strength = suggestion)]
    const WORDS: &str = "Hello.";

    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn on_a_constant(&self) -> String {
        String::new()
    }
}

#[hooks_sdk::hooks]
struct OnAStruct;

#[hooks_sdk::hooks]
impl Memory {
    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn self_mutable(&mut self) -> String {
        String::new()
    }
}

#[hooks_sdk::hooks(lifecycle)]
impl Memory {
    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn with_keys(&self) -> String {
        String::new()
    }
}

#[hooks_sdk::hooks]
impl Memory {
    async fn without_a_hook(&self) -> String {
        String::new()
    }
}

#[hooks_sdk::hooks]
impl Memory {
    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn without_self() -> String {
        String::new()
    }
}

fn main() {}
