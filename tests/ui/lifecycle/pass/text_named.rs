use hooks_sdk::{core::Hook, lifecycle};
use serde_json::{Value, json};

#[lifecycle::hook(session_start, strength = suggestion, text_file = "words/welcome.md")]
struct Below;

#[lifecycle::hook(session_start, strength = suggestion, text_file = "../pass/words/welcome.md")]
struct ByAnotherWay;

fn declaration(hook: Hook) -> Value {
    let hook = hook
        .detail::<lifecycle::LifecycleHook>()
        .expect("a lifecycle hook");
    serde_json::to_value(hook.declaration()).expect("JSON")
}

#[test]
fn is_accepted() {
    for hook in [Below::hook(), ByAnotherWay::hook()] {
        assert_eq!(declaration(hook)["context"], json!("Welcome.\n"));
    }
}
