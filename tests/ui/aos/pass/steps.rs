use hooks_sdk::{
    aos::{ToolStep, ToolStepKind},
    prelude::*,
};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};

struct Memory;

#[hooks_sdk::hooks]
#[tool_router]
impl Memory {
    #[tool(description = "Saves.")]
    #[aos::memory_store(content = "args.notes[*].text")]
    async fn save(&self) -> String {
        String::new()
    }

    #[hooks_sdk::aos::memory_retrieval(content = "result.structuredContent.rows[*].\"the text\"")]
    #[lifecycle::hook(session_end, strength = suggestion)]
    #[tool(description = "Reads.", name = "read-file")]
    fn read(&self) -> String {
        String::new()
    }

    #[aos::memory_store(content = "args.q")]
    #[aos::knowledge(
        content = "result.structuredContent.text",
        query = "args.q",
        keywords = "args.tags"
    )]
    #[cfg_attr(not(any()), aos::memory_retrieval, inline)]
    #[cfg_attr(any(), aos::memory_retrieval(content = "nothing"))]
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
    assert_eq!(aos::problems(&registry), []);
    let steps: Vec<_> = registry
        .details::<ToolStep>()
        .map(|(entry, step)| (entry.id(), step.kind()))
        .collect();
    assert_eq!(
        steps,
        [
            ("aos:tool:memory_store:save", ToolStepKind::MemoryStore),
            (
                "aos:tool:memory_retrieval:read-file",
                ToolStepKind::MemoryRetrieval
            ),
            ("aos:tool:knowledge:list", ToolStepKind::Knowledge),
            (
                "aos:tool:memory_retrieval:list",
                ToolStepKind::MemoryRetrieval
            ),
            ("aos:tool:memory_store:list", ToolStepKind::MemoryStore),
        ]
    );
    let paths = |id: &str| {
        let step = registry.get(id).unwrap().detail::<ToolStep>().unwrap();
        step.paths()
            .map(|(key, path)| format!("{key} {path}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        paths("aos:tool:memory_store:save"),
        ["content args.notes[*].text"]
    );
    assert_eq!(
        paths("aos:tool:knowledge:list"),
        [
            "content result.structuredContent.text",
            "query args.q",
            "keywords args.tags"
        ]
    );
    assert_eq!(paths("aos:tool:memory_retrieval:list"), [""; 0]);
    assert!(registry.get("read").is_some());
    assert!(
        !registry
            .get("aos:tool:memory_store:save")
            .unwrap()
            .owner()
            .includes::<()>()
    );
}
