//! What belongs to no tool, prompt or resource: `redact` replaces secrets in it, and changes nothing else.

use hooks_sdk::{
    Collected, Hooked, Policy,
    core::{Posture, Registry},
    log::DecisionLog,
    plugin::{Instance, PluginMode, ready::Redact},
};
use serde_json::{Value, json};

use crate::{
    desk::Desk,
    peer::{Kind, Peer},
};

/// A token that the finder knows by its form.
pub(crate) const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

pub(crate) fn hooked(desk: &Desk, policy: Policy) -> Hooked<Desk> {
    let none = Registry::builder().build().unwrap();
    let collected = Collected::of(none).unwrap().policy(policy);
    collected.wrap(desk.clone()).unwrap()
}

pub(crate) fn redacting(desk: &Desk) -> Hooked<Desk> {
    hooked(desk, Policy::new().with(Redact::new()))
}

/// The requests whose answers belong to no item, with an answer that says `said`.
fn answers(said: &Value) -> Vec<(&'static str, Value, Value)> {
    let reference = json!({"type": "ref/prompt", "name": "a"});
    let complete = json!({"ref": reference, "argument": {"name": "a", "value": "b"}});
    vec![
        (
            "x/custom",
            json!({}),
            json!({"said": said, "_meta": {"own": said}}),
        ),
        ("x/custom", json!({}), json!([said, {"id": said}])),
        (
            "completion/complete",
            complete,
            json!({"completion": {"values": ["a", said.to_string()]}}),
        ),
    ]
}

/// The messages that the server sends by itself.
fn messages(said: &Value, kind: Kind) -> Vec<Value> {
    let text = said.to_string();
    let mut all = vec![
        json!({"method": "notifications/progress", "params": {"progress": 1.0, "message": text}}),
        json!({"method": "notifications/message", "params": {"level": "info", "data": {"a": [said]}}}),
        json!({"method": "notifications/own", "params": {"id": said, "_meta": {"own": said}}}),
        json!({"method": "notifications/resources/updated", "params": {"uri": "x:known", "_meta": {"own": said}}}),
    ];
    if matches!(kind, Kind::StreamLegacy | Kind::HttpLegacy) {
        let content = json!([{"type": "text", "text": text}]);
        let message = json!({"role": "user", "content": content});
        all.push(
            json!({"request": true, "method": "sampling/createMessage", "params": {
                "messages": [message], "systemPrompt": text, "maxTokens": 9,
            }}),
        );
        all.push(json!({"request": true, "method": "elicitation/create", "params": {
            "mode": "form", "message": text, "requestedSchema": {"type": "object", "properties": {}},
        }}));
    }
    all
}

#[tokio::test]
async fn the_method_that_a_client_chooses_changes_nothing_about_what_is_looked_at() {
    let methods = [
        "mcpl/x",
        "mcpl/manifest",
        "featureSets/update",
        "push/event",
    ];
    for kind in Kind::ALL {
        let desk = Desk::default();
        let mut peer = Peer::of(kind, redacting(&desk)).await;
        for method in methods {
            for name in ["said", "conversationId", "requestId", "checkpoint"] {
                for relayed in [
                    json!({name: TOKEN, "deeper": {name: TOKEN}}),
                    json!({"_meta": {"progressToken": TOKEN, "requestId": {name: TOKEN}}}),
                    json!({"error": {"code": -32050, "message": TOKEN, "data": {name: TOKEN}}}),
                ] {
                    desk.relays(relayed);
                    let answer = peer.answer(method, json!({})).await;
                    let text = answer.to_string();
                    assert!(!text.contains(TOKEN), "{kind:?} {method} {answer}");
                    assert!(text.contains("[REDACTED]"), "{kind:?} {method} {answer}");
                }
            }
        }
    }
}

/// Calls the tool that sends a message by itself. Returns what arrived before its answer.
pub(crate) async fn sent(peer: &mut Peer, desk: &Desk, message: &Value) -> Vec<Value> {
    desk.relays(message.clone());
    let meta = json!({"progressToken": "p", "io.modelcontextprotocol/logLevel": "debug"});
    let params = json!({"name": "loose", "arguments": {}, "_meta": meta});
    let mut all = peer.all("tools/call", params).await;
    all.retain(|arrived| arrived["method"].is_string());
    all
}

/// Members of the protocol that look like findings.
fn harmless() -> [Value; 3] {
    [
        json!("nothing of note"),
        json!({"id": "1", "at": "2026-11-22T17:11:57Z"}),
        json!("x\ny"),
    ]
}

#[tokio::test]
async fn what_has_no_secret_leaves_unchanged() {
    for kind in Kind::ALL {
        let (desk, plain) = (Desk::default(), Desk::default());
        let mut peer = Peer::of(kind, redacting(&desk)).await;
        let mut bare = Peer::of(kind, hooked(&plain, Policy::new())).await;
        for form in harmless() {
            for (method, params, answer) in answers(&form) {
                desk.relays(answer.clone());
                plain.relays(answer);
                let shown = peer.answer(method, params.clone()).await;
                let whole = bare.answer(method, params).await;
                assert_eq!(shown["result"], whole["result"], "{kind:?} {method}");
            }
            for message in messages(&form, kind) {
                let strip = |all: Vec<Value>| -> Vec<Value> {
                    all.into_iter().map(|one| one["params"].clone()).collect()
                };
                let mut shown = strip(sent(&mut peer, &desk, &message).await);
                let mut whole = strip(sent(&mut bare, &plain, &message).await);
                for one in shown.iter_mut().chain(&mut whole) {
                    // rmcp gives each request of the server a token of its own.
                    if message["request"] == true {
                        one["_meta"].take();
                    }
                }
                assert_eq!(shown, whole, "{kind:?} {message}");
            }
        }
    }
}

#[tokio::test]
async fn a_token_that_the_client_chose_comes_back_as_it_is() {
    for kind in Kind::ALL {
        let desk = Desk::default();
        let mut peer = Peer::of(kind, redacting(&desk)).await;
        let params = json!({"progress": 1.0, "message": TOKEN});
        desk.relays(json!({"method": "notifications/progress", "params": params}));
        let params = json!({"name": "loose", "arguments": {}, "_meta": {"progressToken": TOKEN}});
        let all = peer.all("tools/call", params).await;
        assert_eq!(all[0]["params"]["progressToken"], TOKEN, "{kind:?} {all:?}");
        assert_eq!(
            all[0]["params"]["message"], "[REDACTED]",
            "{kind:?} {all:?}"
        );
    }
}

#[tokio::test]
async fn the_uri_of_a_resource_that_has_changed_stays_and_a_text_beside_it_does_not() {
    for kind in Kind::ALL {
        let desk = Desk::default();
        let mut peer = Peer::of(kind, redacting(&desk)).await;
        let uri = format!("x:{TOKEN}");
        // rmcp's type has no `note`, so a relay of another server sends it as a custom notification.
        let params = json!({"uri": uri, "note": TOKEN, "_meta": {"own": TOKEN}});
        let message =
            json!({"method": "notifications/resources/updated", "params": params, "custom": true});
        for arrived in sent(&mut peer, &desk, &message).await {
            let params = &arrived["params"];
            assert_eq!(params["uri"], uri, "{kind:?} {arrived}");
            assert_eq!(params["note"], "[REDACTED]", "{kind:?} {arrived}");
            assert_eq!(params["_meta"]["own"], "[REDACTED]", "{kind:?} {arrived}");
        }
        // What is no name is no name of a resource.
        let params = json!({"uri": {"own": TOKEN}});
        let message =
            json!({"method": "notifications/resources/updated", "params": params, "custom": true});
        for arrived in sent(&mut peer, &desk, &message).await {
            assert!(!arrived.to_string().contains(TOKEN), "{kind:?} {arrived}");
        }
    }
}

#[tokio::test]
async fn base64_of_an_image_in_a_sampling_request_stays_and_a_text_beside_it_does_not() {
    let desk = Desk::default();
    let mut peer = Peer::of(Kind::StreamLegacy, redacting(&desk)).await;
    let data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";
    let image = json!({"type": "image", "data": data, "mimeType": "image/png"});
    let message = json!({"role": "user", "content": [image, {"type": "text", "text": TOKEN}]});
    let params = json!({"messages": [message], "maxTokens": 9});
    let asked = json!({"request": true, "method": "sampling/createMessage", "params": params});
    let all = sent(&mut peer, &desk, &asked).await;
    let content = &all[0]["params"]["messages"][0]["content"];
    assert_eq!(content[0]["data"], data, "{all:?}");
    assert_eq!(content[1]["text"], "[REDACTED]", "{all:?}");
}

#[tokio::test]
async fn a_batch_gets_no_answer_with_a_secret() {
    let desk = Desk::default();
    desk.relays(json!({"said": TOKEN}));
    let Peer::Stream(mut stream) = Peer::of(Kind::StreamLegacy, redacting(&desk)).await else {
        panic!("a stream");
    };
    let one = json!({"jsonrpc": "2.0", "id": 1, "method": "x/custom", "params": {}});
    stream.write(&json!([one, one])).await;
    let answer = stream.next().await;
    assert!(answer["error"].is_object(), "{answer}");
    assert!(!answer.to_string().contains(TOKEN), "{answer}");
}

#[tokio::test]
async fn a_mode_and_conditions_hold_for_what_belongs_to_no_item() {
    let said = json!({"said": TOKEN});
    for (instance, leaves) in [
        (Instance::of(Redact::new()).mode(PluginMode::Audit), true),
        (Instance::of(Redact::new()).mode(PluginMode::Disabled), true),
        (
            Instance::of(Redact::new()).mode(PluginMode::Permissive),
            false,
        ),
        (Instance::of(Redact::new()).posture(Posture::Proceed), false),
        // It is for the items that it names.
        (Instance::of(Redact::new()).items(&["read_*"]), true),
    ] {
        let desk = Desk::default();
        let policy = Policy::new().with(instance.clone());
        let mut peer = Peer::of(Kind::StreamLegacy, hooked(&desk, policy)).await;
        desk.relays(said.clone());
        let answer = peer.answer("x/custom", json!({})).await;
        assert_eq!(
            answer.to_string().contains(TOKEN),
            leaves,
            "{instance:?} {answer}"
        );
    }
}

#[tokio::test]
async fn a_value_that_cannot_be_looked_at_does_not_leave() {
    let mut deep = json!(TOKEN);
    for _ in 0..300 {
        deep = json!([deep]);
    }
    let desk = Desk::default();
    let mut peer = Peer::of(Kind::StreamLegacy, redacting(&desk)).await;
    desk.relays(json!({"said": deep}));
    let answer = peer.answer("x/custom", json!({})).await;
    assert!(answer["error"].is_object(), "{answer}");
    assert!(!answer.to_string().contains(TOKEN), "{answer}");
}

#[tokio::test]
async fn each_change_and_each_withheld_answer_is_a_line_of_the_decision_log() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    let desk = Desk::default();
    let hooked = hooked(&desk, Policy::new().with(Redact::new()));
    let hooked = hooked.log(DecisionLog::to(&file, Posture::Deny));
    let mut peer = Peer::of(Kind::StreamLegacy, hooked).await;
    desk.relays(json!({"said": TOKEN}));
    peer.answer("x/custom", json!({})).await;
    desk.relays(json!({"said": "nothing of note"}));
    peer.answer("x/custom", json!({})).await;
    let line = async {
        loop {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            if text.contains("\"modified\"") {
                return text;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    let text = tokio::time::timeout(hooks_tests::client::PATIENCE, line).await;
    let text = text.expect("a line in time");
    // The first line of the chain, and that of the change.
    assert_eq!(text.lines().count(), 2, "{text}");
    let line: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(
        [&line["kind"], &line["method"], &line["steps"][0]["rule"]],
        [&json!("stop"), &json!("x/custom"), &json!("redact")]
    );
    assert!(!text.contains(TOKEN), "{text}");
}
