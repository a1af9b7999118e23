use hooks_sdk::{core::Registry, prelude::*};
use rmcp::{
    ServerHandler, handler::server::wrapper::Parameters, schemars, tool, tool_handler, tool_router,
};
use serde_json::json;

struct Memory;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Query {
    query: String,
}

#[tool_router]
#[hooks_sdk::hooks]
impl Memory {
    #[tool(description = "Searches.")]
    async fn search(&self, Parameters(query): Parameters<Query>) -> String {
        query.query
    }

    #[lifecycle::hook(session_start, strength = required)]
    async fn recall(&self, _start: &SessionStart) -> String {
        String::new()
    }

    #[lifecycle::hook(pre_request, strength = suggestion, context_tool_args(query = "{session_id}"))]
    #[tool(description = "Looks around.", name = "look-around")]
    async fn look(&self, Parameters(query): Parameters<Query>) -> String {
        query.query
    }

    #[tool(description = "Counts.")]
    #[lifecycle::hook(session_end, strength = suggestion)]
    fn count(&self) -> String {
        String::new()
    }
}

#[tool_handler]
impl ServerHandler for Memory {}

#[test]
fn is_accepted() {
    assert_eq!(Memory::tool_router().list_all().len(), 3);
    let registry = Registry::collect::<Memory>().unwrap();
    let hook = |id| {
        registry
            .get(id)
            .unwrap()
            .detail::<lifecycle::LifecycleHook>()
            .unwrap()
    };
    assert!(hook("recall").served().is_some());
    for (id, tool, arguments) in [
        (
            "look",
            "look-around",
            Some(json!({"query": "{session_id}"})),
        ),
        ("count", "count", None),
    ] {
        assert!(hook(id).served().is_none());
        let declared = serde_json::to_value(hook(id).declaration()).unwrap();
        assert_eq!(declared["context_tool"], json!(tool));
        assert_eq!(declared.get("context_tool_args"), arguments.as_ref());
        assert!(registry.get(id).unwrap().owner().includes::<Memory>());
        assert!(!registry.get(id).unwrap().owner().includes::<Query>());
    }
}
