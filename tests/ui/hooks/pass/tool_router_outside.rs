use hooks_sdk::{core::Registry, prelude::*};
use rmcp::{tool, tool_router};

struct Memory;

#[tool_router]
#[hooks_sdk::hooks]
impl Memory {
    #[tool(description = "Counts.")]
    #[lifecycle::hook(session_end, strength = suggestion)]
    fn count(&self) -> String {
        String::new()
    }
}

#[test]
fn is_accepted() {
    assert_eq!(Memory::tool_router().list_all().len(), 1);
    let registry = Registry::collect::<Memory>().unwrap();
    assert!(registry.get("count").is_some());
}
