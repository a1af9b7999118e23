use hooks_sdk::{mcpl::Derived, prelude::*};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};

struct Memory;

/// Edits files.
#[mcpl::feature_set("memory.files", scoped)]
struct Files;

#[hooks_sdk::hooks]
#[tool_router]
impl Memory {
    #[tool(description = "Edits.")]
    #[mcpl::tool(feature_set = Files, scope = "path")]
    async fn edit(&self) -> String {
        String::new()
    }

    #[hooks_sdk::mcpl::tool(feature_set = Files, guard = false)]
    #[lifecycle::hook(session_end, strength = suggestion)]
    #[tool(description = "Reads.", name = "read-file")]
    fn read(&self) -> String {
        String::new()
    }

    #[cfg_attr(not(any()), mcpl::tool(feature_set = Files, guard = true), inline)]
    #[cfg_attr(any(), mcpl::tool(feature_set = Nothing))]
    #[rmcp::tool(description = "Lists.")]
    async fn list() -> String {
        String::new()
    }

    #[tool(description = "Free.")]
    async fn free(&self) -> String {
        String::new()
    }
}

#[tool_handler]
impl ServerHandler for Memory {}

#[test]
fn is_accepted() {
    assert_eq!(Memory::tool_router().list_all().len(), 4);
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(mcpl::problems(&registry), []);
    let derived = Derived::of(&registry);
    let tools: Vec<_> = derived
        .tools()
        .map(|(tool, _)| (&*tool.name, tool.scope.as_deref(), tool.guarded))
        .collect();
    assert_eq!(
        tools,
        [
            ("edit", Some("path"), true),
            ("read-file", None, false),
            ("list", None, true)
        ]
    );
    assert!(derived.tools().all(|(_, set)| set.name == Files::NAME));
    assert!(registry.get("read").is_some() && registry.get("mcpl:tool:read-file").is_some());
    assert!(
        !registry
            .get("mcpl:tool:edit")
            .unwrap()
            .owner()
            .includes::<Files>()
    );
}
