use hooks_sdk::{core::Hook, lifecycle};
use serde_json::{Value, json};

#[lifecycle::hook(post_tool_use, strength = suggestion, matcher(tool_name = "Bash"))]
struct AfterCommit;

fn declaration(hook: Hook) -> Value {
    let hook = hook
        .detail::<lifecycle::LifecycleHook>()
        .expect("a lifecycle hook");
    serde_json::to_value(hook.declaration()).expect("JSON")
}

#[test]
fn is_accepted() {
    let declared = declaration(AfterCommit::hook());
    assert_eq!(declared["context"], json!("The tool said: {tool_output}\n"));
}
