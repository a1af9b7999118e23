//! `redact`.

use serde_json::{from_value, json};

use super::*;
use crate::{
    core::{HookError, OnFailure, Verdict},
    plugin::{
        Decision, PluginAt, PluginHook, PromptResult, ResourceResult, finder::FindingKind,
        ready::Redact,
    },
};

const KEY: &str = "sk-proj-abcdefgh12345678abcdefgh";

#[tokio::test]
async fn every_text_of_a_result_is_redacted() {
    let chain = chain([Redact::new().into()]);
    let result = json!({
        "content": [
            {"type": "text", "text": format!("the key is {KEY}, mail kim@example.org")},
            {"type": "image", "data": KEY, "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "password: hunter2", "blob": KEY}},
        ],
        "structuredContent": {
            "password": "hunter2", "apiKeys": ["abc def1"], "note": "hello", "pin": 4711,
            "kim@example.org": {"deep": [{"key": KEY}]}, "lee@example.org": 2,
        },
    });
    let (result, ran) = answered(&chain, result, &mut contexts()).await;
    assert!(ran.modified);
    assert_eq!(
        result,
        json!({
            "content": [
                {"type": "text", "text": "the key is [REDACTED], mail [REDACTED]"},
                {"type": "image", "data": KEY, "mimeType": "image/png"},
                {"type": "resource", "resource": {"uri": "file:///a", "text": "password: [REDACTED]", "blob": KEY}},
            ],
            "structuredContent": {
                "password": "[REDACTED]", "apiKeys": ["[REDACTED]"], "note": "hello", "pin": 4711,
                "[REDACTED]": {"deep": [{"key": "[REDACTED]"}]}, "[REDACTED] 2": 2,
            },
        })
    );
    let clean = json!({"structuredContent": {"password": "", "token": "[REDACTED]", "commit": "9fceb02d0ae598e95dc970b74767f19372d61af8"}});
    let (same, ran) = answered(&chain, clean.clone(), &mut contexts()).await;
    assert!(!ran.modified, "{same}");
    assert_eq!(same, clean);
}

#[tokio::test]
async fn kinds_can_be_kept() {
    let redact: Redact = from_value(json!({"keep": ["email_address", "phone_number"]})).unwrap();
    let chain = chain([redact.into()]);
    let said = format!("kim@example.org, +49 30 123456, {KEY}@example.org");
    let (result, _) = answered(&chain, text(&said), &mut contexts()).await;
    assert_eq!(
        result,
        text("kim@example.org, +49 30 123456, [REDACTED]@example.org")
    );
    assert!(from_value::<Redact>(json!({"keep": ["email"]})).is_err());
}

#[tokio::test]
async fn prompts_and_resources_are_redacted() {
    let chain = chain([Redact::new().keep(FindingKind::Password).into()]);
    let mut prompt = PromptResult {
        prompt_id: "p".into(),
        result: json!({"messages": [{"role": "user", "content": {"type": "text", "text": KEY}}]}),
    };
    chain
        .run(point::prompt_post_fetch, &mut prompt, &mut contexts())
        .await;
    assert_eq!(
        prompt.result["messages"][0]["content"]["text"],
        "[REDACTED]"
    );
    let mut resource = ResourceResult {
        uri: "file:///a".into(),
        content: json!([{"uri": "file:///a", "text": KEY}]),
    };
    chain
        .run(point::resource_post_fetch, &mut resource, &mut contexts())
        .await;
    assert_eq!(
        resource.content,
        json!([{"uri": "file:///a", "text": "[REDACTED]"}])
    );
}

#[tokio::test]
async fn arguments_are_redacted_on_demand() {
    for (redact, expected) in [
        (Redact::new(), KEY),
        (Redact::new().arguments(), "[REDACTED]"),
    ] {
        let chain = chain([redact.into()]);
        let mut call = ToolCall::new("store", object(json!({"text": KEY})));
        chain
            .run(point::tool_pre_invoke, &mut call, &mut contexts())
            .await;
        assert_eq!(call.args["text"], expected);
    }
}

fn fails(posture: OnFailure) -> PluginHook {
    let hook = PluginHook::answering_any("fails", point::tool_post_invoke, |_: &ToolResult, _| {
        Box::pin(async { Err::<Verdict<ToolResult>, _>(HookError::new("no")) })
    });
    hook.on_failure(posture).priority(200)
}

#[tokio::test]
async fn a_later_error_drops_no_redaction() {
    let redact = || Instance::of(Redact::new()).hooks().to_vec();
    let chain = Chain::new(redact().into_iter().chain([fails(OnFailure::Ignore)]));
    let mut contexts = contexts();
    let (result, ran) = answered(&chain, text(KEY), &mut contexts).await;
    assert!(matches!(ran.end, End::Allowed));
    assert_eq!(result, text("[REDACTED]"));
    let bypassed: Vec<&str> = contexts.record().bypassed().collect();
    assert_eq!(bypassed, ["fails"]);

    let chain = Chain::new(redact().into_iter().chain([fails(OnFailure::Fail)]));
    let (_, ran) = answered(&chain, text(KEY), &mut super::contexts()).await;
    assert!(
        matches!(ran.end, End::Blocked(blocked) if blocked.failed),
        "the answer is withheld"
    );
}

#[tokio::test]
async fn an_answer_that_would_not_fit_its_schema_is_withheld() {
    let chain = chain([Redact::new().into()]);
    let definition =
        json!({"outputSchema": {"properties": {"key": {"type": "string", "minLength": 20}}}});
    let result = json!({"structuredContent": {"key": KEY}});
    let (_, ran) = answered(&chain, result, &mut defined(definition)).await;
    assert!(matches!(ran.end, End::Blocked(blocked) if blocked.failed));
}

#[tokio::test]
async fn values_that_lie_too_deep_are_withheld() {
    let mut deep = json!("a");
    for _ in 0..300 {
        deep = json!([deep]);
    }
    let chain = chain([Redact::new().into()]);
    let (_, ran) = answered(&chain, json!({"structuredContent": deep}), &mut contexts()).await;
    assert!(matches!(ran.end, End::Blocked(blocked) if blocked.failed));
}

#[tokio::test]
async fn the_record_says_who_changed_the_answer() {
    let chain = chain([Redact::new().into()]);
    let mut contexts = contexts();
    answered(&chain, text(KEY), &mut contexts).await;
    let steps = &contexts.record().steps;
    assert_eq!(steps.len(), 1);
    assert_eq!(
        (&*steps[0].hook, steps[0].point, steps[0].decision),
        ("redact", PluginAt::ToolPostInvoke, Decision::Modified)
    );
}
