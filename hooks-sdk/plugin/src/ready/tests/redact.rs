//! `redact`.

use serde_json::{from_value, json};

use super::*;
use crate::{Decision, PluginAt, PromptResult, ResourceResult, finder::FindingKind, ready::Redact};

const KEY: &str = "sk-proj-abcdefgh12345678abcdefgh";
/// Base64 that begins as a key does.
const PICTURE: &str = "AKIAIOSFODNN7EXAMPLE";

#[tokio::test]
async fn every_text_of_a_result_is_redacted() {
    let chain = chain([Redact::new().into()]);
    let result = json!({
        "content": [
            {"type": "text", "text": format!("the key is {KEY}, mail kim@example.org")},
            {"type": "image", "data": PICTURE, "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "password: hunter2", "blob": PICTURE}},
        ],
        "structuredContent": {
            "password": "hunter2", "apiKeys": ["abc def1"], "note": "hello", "pin": 4711, "count": 4711,
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
                {"type": "image", "data": PICTURE, "mimeType": "image/png"},
                {"type": "resource", "resource": {"uri": "file:///a", "text": "password: [REDACTED]", "blob": PICTURE}},
            ],
            "structuredContent": {
                "password": "[REDACTED]", "apiKeys": ["[REDACTED]"], "note": "hello", "pin": "[REDACTED]", "count": 4711,
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
    let mut resource = ResourceResult::new(
        "file:///a",
        json!([{"uri": "file:///a", "text": KEY, "_meta": {"key": KEY}, "blob": "aGVsbG8="}]),
    );
    resource.metadata = object(json!({"upstream": {"token": "abc", "note": KEY}}));
    chain
        .run(point::resource_post_fetch, &mut resource, &mut contexts())
        .await;
    assert_eq!(
        resource.content,
        json!([{"uri": "file:///a", "text": "[REDACTED]", "_meta": {"key": "[REDACTED]"}, "blob": "aGVsbG8="}])
    );
    let meta = json!({"upstream": {"token": "[REDACTED]", "note": "[REDACTED]"}});
    assert_eq!(Value::Object(resource.metadata), meta);
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

#[tokio::test]
async fn a_value_under_the_name_of_a_secret_is_redacted_whatever_it_is() {
    let chain = chain([Redact::new().into()]);
    let long = "correct horse battery staple ".repeat(8);
    for value in [
        json!("YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo0bw=="),
        json!("ab(cd1"),
        json!("ns::name"),
        json!("a->b"),
        json!("{braces}"),
        json!("<angle> %x% [y] /z &amp (q"),
        json!("string"),
        json!("required"),
        json!("one...two"),
        json!("x"),
        json!(123456),
        json!(-1.5),
        json!(long),
        json!("two\nlines"),
    ] {
        for name in [
            "apiKey",
            "api_key",
            "x-api-key",
            "APIKey",
            "dbPassword",
            "password2",
            "githubToken",
            "clientSecret",
            "AZURE_ACCOUNT_KEY",
            "connectionString",
            "kennwort",
            "Passwörter",
        ] {
            let result = json!({"structuredContent": {"rows": [{name: value}], "note": "kept"}});
            let (result, _) = answered(&chain, result, &mut contexts()).await;
            let expected =
                json!({"structuredContent": {"rows": [{name: "[REDACTED]"}], "note": "kept"}});
            assert_eq!(result, expected, "{name}: {value}");
            // The same as JSON in a text, and as JSON in the JSON of a text.
            let inner = json!({"count": 1, name: value, "note": "kept"}).to_string();
            for text in [inner.clone(), json!({ "log": inner }).to_string()] {
                let result = json!({"content": [{"type": "text", "text": text}]});
                let (result, _) = answered(&chain, result, &mut contexts()).await;
                let shown = result["content"][0]["text"].as_str().unwrap();
                let secret = value.as_str().map_or(value.to_string(), str::to_owned);
                let camel = name == "password2" || name == "APIKey";
                assert!(camel || shown.contains("[REDACTED]"), "{name}: {shown}");
                assert!(
                    camel || secret.len() < 3 || !shown.contains(&secret) || secret == "string",
                    "{name}: {shown}"
                );
                assert!(shown.contains("kept"), "{shown}");
                let json: Result<Value, _> = serde_json::from_str(shown);
                assert!(value.is_number() || json.is_ok(), "{shown}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_below_the_name_of_a_secret_is_one_and_a_schema_is_not() {
    let chain = chain([Redact::new().into()]);
    let result = json!({"structuredContent": {
        "credentials": {"primary": "abc", "more": ["def"], "expires": 3600},
        "properties": {"password": {"type": "string", "description": "Your own"}},
        "nextPageToken": "abc", "page_token": "def", "progressToken": 5, "user": "kim", "pin": 13, "pass": true,
        "password": "", "token": null,
    }});
    let expected = json!({"structuredContent": {
        "credentials": {"primary": "[REDACTED]", "more": ["[REDACTED]"], "expires": 3600},
        "properties": {"password": {"type": "string", "description": "Your own"}},
        "nextPageToken": "abc", "page_token": "def", "progressToken": 5, "user": "kim", "pin": 13, "pass": true,
        "password": "", "token": null,
    }});
    assert_eq!(answered(&chain, result, &mut contexts()).await.0, expected);
}

#[tokio::test]
async fn json_in_a_text_is_read_without_its_escapes() {
    let chain = chain([Redact::new().into()]);
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    for before in ["x\n", "x\t", "x\r", "x\u{8}", "x\u{c}", "\"", "\\", "é"] {
        let once = json!({"log": format!("{before}{token}")}).to_string();
        let twice = json!({"body": once, "a": [1]}).to_string();
        let escaped = once.replace("ghp", "\\u0067hp");
        for text in [once, twice, escaped] {
            let (result, _) = answered(&chain, super::text(&text), &mut contexts()).await;
            let shown = result["content"][0]["text"].as_str().unwrap();
            assert!(
                shown.contains("[REDACTED]") && !shown.contains("a1B2c3"),
                "{shown}"
            );
            assert!(serde_json::from_str::<Value>(shown).is_ok(), "{shown}");
        }
    }
    let label =
        json!({"log": "line one\npassword: hunter2 and IBAN\tDE89370400440532013000"}).to_string();
    let (result, _) = answered(&chain, super::text(&label), &mut contexts()).await;
    let shown = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(
        shown,
        r#"{"log":"line one\npassword: [REDACTED] and IBAN\t[REDACTED]"}"#
    );
}

#[tokio::test]
async fn base64_is_left_alone_at_its_place_in_the_protocol_only() {
    let chain = chain([Redact::new().into()]);
    let result = json!({
        "content": [
            {"type": "image", "data": PICTURE, "mimeType": "image/png"},
            {"type": "audio", "data": KEY, "mimeType": "audio/wav"},
            {"type": "image", "data": PICTURE},
            {"type": "text", "text": "a", "blob": PICTURE},
        ],
        "structuredContent": {
            "blob": PICTURE, "uri": "a:b", "inner": {"type": "image", "data": PICTURE, "mimeType": "image/png"},
        },
        "_meta": {"blob": PICTURE, "uri": "a:b"},
    });
    let hidden = "[REDACTED]";
    let expected = json!({
        "content": [
            {"type": "image", "data": PICTURE, "mimeType": "image/png"},
            {"type": "audio", "data": hidden, "mimeType": "audio/wav"},
            {"type": "image", "data": hidden},
            {"type": "text", "text": "a", "blob": hidden},
        ],
        "structuredContent": {
            "blob": hidden, "uri": "a:b", "inner": {"type": "image", "data": hidden, "mimeType": "image/png"},
        },
        "_meta": {"blob": hidden, "uri": "a:b"},
    });
    assert_eq!(answered(&chain, result, &mut contexts()).await.0, expected);
}

#[tokio::test]
async fn a_state_is_never_rewritten_and_one_with_a_secret_is_withheld() {
    let chain = chain([Redact::new().into()]);
    let with = |state: Value| json!({"content": [], "_meta": {"hooks-sdk/lift": {"state": {"data": state}}}});
    let (_, ran) = answered(&chain, with(json!({"key": KEY})), &mut contexts()).await;
    assert!(matches!(ran.end, End::Blocked(blocked) if blocked.failed));
    let mail = with(json!({"mail": "kim@example.org"}));
    let (same, ran) = answered(&chain, mail.clone(), &mut contexts()).await;
    assert_eq!(same, mail);
    assert!(!ran.modified && matches!(ran.end, End::Allowed));
}
