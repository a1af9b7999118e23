//! A guardian behind the hooks of plugins.

use hooks_sdk::{
    aos::Posture,
    core::{Hook, Verdict, condition::Condition},
    plugin::{PluginHook, ToolCall, ToolResult, point},
    testing::TestHost,
};
use serde_json::{Value, json};

use super::{REQUEST, RESULT, changes, client_of, desk::Desk, soon};
use crate::observed::stand_in::{Act, Question, StandIn};

async fn rig(
    hooks: impl IntoIterator<Item = PluginHook>,
    script: impl Fn(&Question) -> Act + Send + Sync + 'static,
) -> (Desk, StandIn, TestHost) {
    let guardian = StandIn::start(script).await;
    let desk = Desk::default();
    let hooks = hooks.into_iter().map(Hook::from);
    let server = desk.collected(hooks);
    let server = server.guardian(client_of(&guardian).posture(Posture::Deny));
    let server = server.wrap(desk.clone()).expect("a server");
    let host = soon(TestHost::connect(server)).await.expect("a host");
    (desk, guardian, host)
}

fn asked(guardian: &StandIn, method: &str) -> Vec<Value> {
    let questions = guardian.questions();
    let of = questions
        .iter()
        .filter(|question| question.body["method"] == method);
    of.map(|question| question.body["params"].clone()).collect()
}

fn no_etc() -> PluginHook {
    PluginHook::deny("no_etc", point::tool_pre_invoke, "files of the system stay")
        .when(Condition::parse(r#"args.text = inside("/etc")"#).unwrap())
}

#[tokio::test]
async fn a_rule_holds_for_what_the_guardian_writes() {
    for (text, refused) in [("/etc/passwd", true), ("/tmp/a", false)] {
        let script = changes(REQUEST, move |params| {
            params["toolCallRequest"]["inputs"] = json!([{"name": "text", "value": text}]);
        });
        let (desk, _guardian, host) = rig([no_etc()], script).await;
        let answer = soon(host.call_tool("echo", json!({"text": "a"})))
            .await
            .unwrap();
        assert_eq!(answer.is_error(), refused, "{answer:?}");
        assert_eq!(desk.ran(), usize::from(!refused));
    }
}

#[tokio::test]
async fn a_refusal_of_a_plugin_is_not_asked_about() {
    let (desk, guardian, host) = rig([no_etc()], |question| question.allow()).await;
    let answer = soon(host.call_tool("echo", json!({"text": "/etc/passwd"})))
        .await
        .unwrap();
    assert!(answer.is_error());
    assert_eq!((desk.ran(), guardian.questions().len()), (0, 0));
}

#[tokio::test]
async fn the_guardian_sees_the_renamed_call_and_the_redacted_result() {
    let rename = PluginHook::answering_any::<_, Verdict<ToolCall>>(
        "rename",
        point::tool_pre_invoke,
        |call, _| {
            let mut call = call.clone();
            Box::pin(async move {
                if call.name == "old" {
                    call.name = "recall".into();
                    return Verdict::Modify(call);
                }
                Verdict::Allow
            })
        },
    );
    let redact = PluginHook::answering_any::<_, Verdict<ToolResult>>(
        "redact",
        point::tool_post_invoke,
        |answer, _| {
            let text = answer.result.to_string().replace("sk-secret", "***");
            let changed = ToolResult::new(
                answer.name.clone(),
                serde_json::from_str(&text).unwrap_or_default(),
            );
            Box::pin(async move { Verdict::Modify(changed) })
        },
    );
    let (_desk, guardian, host) = rig([rename, redact], |question| question.allow()).await;
    let answer = soon(host.call_tool("old", json!({}))).await.unwrap();
    assert!(answer.text().contains("***"), "{answer:?}");
    assert_eq!(
        asked(&guardian, REQUEST)[0]["toolCallRequest"]["toolId"],
        "recall"
    );
    // The steps are those of the tool that ran.
    let methods: Vec<_> = guardian
        .questions()
        .iter()
        .map(|question| question.body["method"].clone())
        .collect();
    assert_eq!(json!(methods), json!([REQUEST, super::RETRIEVAL, RESULT]));
    let text = asked(&guardian, RESULT)[0].to_string();
    assert!(!text.contains("sk-secret"), "{text}");
}
