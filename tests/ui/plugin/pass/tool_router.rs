use hooks_sdk::prelude::*;
use rmcp::{tool, tool_router};

struct Memory;

#[tool_router]
#[hooks_sdk::hooks]
impl Memory {
    #[tool(description = "Edits.")]
    async fn edit(&self) -> String {
        String::new()
    }

    #[plugin::hook(tool_pre_invoke, tool = "edit")]
    async fn check(&self, _call: &ToolCall) {}
}

#[test]
fn is_accepted() {
    assert_eq!(Memory::tool_router().list_all().len(), 1);
    assert_eq!(crate::collected::<Memory>(file!()).unwrap().iter().len(), 1);
}
