use hooks_sdk::{core::Hook, lifecycle};
use serde_json::{Value, json};

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello, {project_name}.")]
struct Words;

fn declaration(hook: Hook) -> Value {
    let hook = hook
        .detail::<lifecycle::LifecycleHook>()
        .expect("a lifecycle hook");
    serde_json::to_value(hook.declaration()).expect("JSON")
}

#[test]
fn is_accepted() {
    let declared = declaration(Words::hook());
    assert_eq!(declared["context"], json!("Hello, {project_name}."));
    assert_eq!((Words::ID, Words::hook().id()), ("words", "words"));
}
