use hooks_sdk::{core::Hook, lifecycle};
use serde_json::{Value, json};

#[lifecycle::hook(
    pre_tool_use,
    strength = required,
    context_tool = "search_memories",
    context_tool_args(
        query = "{tool_input}",
        limit = 5,
        "max-age" = null,
        r#type = ["a", { "{tool_output}": "{tool_name}" }],
        computed = 2 + 3,
    )
)]
struct Search;

fn declaration(hook: Hook) -> Value {
    let hook = hook
        .detail::<lifecycle::LifecycleHook>()
        .expect("a lifecycle hook");
    serde_json::to_value(hook.declaration()).expect("JSON")
}

#[test]
fn is_accepted() {
    let declared = declaration(Search::hook());
    assert_eq!(declared["context_tool"], json!("search_memories"));
    let expected = json!({
        "query": "{tool_input}",
        "limit": 5,
        "max-age": null,
        "type": ["a", { "{tool_output}": "{tool_name}" }],
        "computed": 5,
    });
    assert_eq!(declared["context_tool_args"], expected);
}
