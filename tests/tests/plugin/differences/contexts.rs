//! State and metadata: who sees what a hook leaves behind.

use hooks_sdk::plugin::{
    Contexts, GlobalContext, Outcome, PluginHook, PluginMode, ToolResult, point,
};
use serde_json::{Value, json};

use super::{go, go_with, hook};

/// A hook with these metadata in its answer.
fn with_metadata(id: &'static str, metadata: Value) -> PluginHook {
    hook(id, move |_, _| {
        Ok(Outcome {
            metadata: metadata.as_object().cloned().unwrap_or_default(),
            ..Outcome::allow()
        })
    })
}

#[tokio::test]
async fn metadata_merge_member_by_member_and_not_deeper() {
    let went = go([
        with_metadata("a", json!({"scan": {"a": 1}, "a": 1})),
        with_metadata("b", json!({"scan": {"b": 2}, "b": 2})),
    ])
    .await;
    let expected = json!({"scan": {"b": 2}, "a": 1, "b": 2});
    assert_eq!(Value::Object(went.ran.metadata), expected);
}

#[tokio::test]
async fn no_key_of_the_metadata_has_a_meaning_here() {
    // Two words of a gateway: who decided, and when to call its upstream again.
    let metadata = json!({"_decision_plugin": "a", "retry_delay_ms": 50});
    let went = go([with_metadata("a", metadata.clone())]).await;
    assert_eq!(Value::Object(went.ran.metadata), metadata);
}

#[tokio::test]
async fn a_hook_finds_its_own_state_and_metadata_after_the_tool() {
    let pre = hook("meter", |_, cx| {
        cx.set_state("began", 7);
        cx.metadata.insert("scanned".into(), 3.into());
        Ok(Outcome::allow())
    });
    let post = PluginHook::answering_any("meter", point::tool_post_invoke, |_: &ToolResult, cx| {
        let kept = cx.get_state("began") == Some(&json!(7)) && cx.metadata["scanned"] == 3;
        Box::pin(async move { assert!(kept) })
    });
    let mut went = go([pre, post]).await;
    let mut answer = ToolResult::default();
    let ran = went
        .chain
        .run(point::tool_post_invoke, &mut answer, &mut went.contexts)
        .await;
    assert!(
        matches!(ran.end, hooks_sdk::plugin::End::Allowed),
        "{ran:?}"
    );
}

#[tokio::test]
async fn a_key_of_the_shared_state_can_be_deleted() {
    let mut global = GlobalContext::new("1");
    global.state.insert("k".into(), "v".into());
    let deleting = hook("d", |_, cx| {
        cx.global.state.remove("k");
        Ok(Outcome::allow())
    });
    let went = go_with(
        hooks_sdk::plugin::Chain::new([deleting]),
        Contexts::new(global),
    )
    .await;
    assert!(went.contexts.global.state.is_empty());
}

#[tokio::test]
async fn what_concurrent_hooks_wrote_is_kept() {
    let writing = |id: &'static str| {
        hook(id, move |_, cx| {
            cx.global.state.insert(id.into(), true.into());
            cx.set_state("own", id);
            Ok(Outcome::allow().with(id, true))
        })
        .mode(PluginMode::Concurrent)
    };
    let went = go([writing("a"), writing("b")]).await;
    went.allowed();
    assert_eq!(
        Value::from(went.contexts.global.state.clone()),
        json!({"a": true, "b": true})
    );
    for id in ["a", "b"] {
        assert_eq!(went.contexts.state(id).expect("state")["own"], id);
        assert_eq!(went.ran.metadata[id], true);
    }
}

#[tokio::test]
async fn what_a_hook_does_to_a_copy_of_its_payload_nobody_sees() {
    // The payload itself is borrowed: a write into it does not compile.
    let writing = hook("w", |call, _| {
        let mut copy = call.clone();
        copy.args.insert("deep".into(), json!({"list": ["x"]}));
        Ok(Outcome::allow())
    });
    let went = go([writing.writable(&["args"])]).await;
    went.allowed();
    assert!(!went.ran.modified && went.call.args.is_empty());
}
