use hooks_sdk::{core::Hook, lifecycle};
use serde_json::{Value, json};

#[lifecycle::hook(
    pre_tool_use,
    matcher(tool_name = "mcp__[a-z]*", input_contains = "git commit", tool_server = "memory"),
    strength = important,
    text = "Hello."
)]
struct Words;

fn declaration(hook: Hook) -> Value {
    let hook = hook
        .detail::<lifecycle::LifecycleHook>()
        .expect("a lifecycle hook");
    serde_json::to_value(hook.declaration()).expect("JSON")
}

#[test]
fn is_accepted() {
    let expected = json!({
        "tool_name": "mcp__[a-z]*",
        "input_contains": "git commit",
        "tool_server": "memory",
    });
    assert_eq!(declaration(Words::hook())["matcher"], expected);
}
