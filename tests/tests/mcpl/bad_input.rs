//! Params of every wrong shape for everything that a host may ask or tell.

use hooks_sdk::testing::McplHost;
use serde_json::{Value, json};

use super::rig::{
    ErrorCode, after, before, host_04, host_05, of_server, outgoing, publish, state, tool,
};

/// What a host may ask: the method, good params, and the members without which they are none.
pub(crate) fn requests() -> Vec<(&'static str, Value, &'static [&'static str])> {
    let turn = &["inferenceId", "conversationId"];
    vec![
        ("featureSets/update", update(), &[]),
        ("context/beforeInference", before(), turn),
        (
            "context/afterInference",
            after("sk-1"),
            &["inferenceId", "conversationId", "assistantMessage"],
        ),
        (
            "state/rollback",
            json!({"featureSet": "acc.notes", "checkpoint": "nowhere"}),
            &["featureSet", "checkpoint"],
        ),
        ("channels/list", json!({}), &[]),
        (
            "channels/open",
            json!({"type": "acc", "address": {"room": "lobby"}, "metadata": {"a": 1}}),
            &["type"],
        ),
        (
            "channels/close",
            json!({"channelId": "acc:nope"}),
            &["channelId"],
        ),
        (
            "channels/publish",
            publish("acc:lobby", "a"),
            &["channelId", "content"],
        ),
        ("mcpl/manifest", json!({}), &[]),
    ]
}

/// What a host may tell.
pub(crate) fn notifications() -> Vec<(&'static str, Value)> {
    let mut complete = outgoing(0);
    complete["content"] = json!([{"type": "image", "data": "aGk=", "mimeType": "image/png"}]);
    vec![
        ("featureSets/update", update()),
        ("context/afterInference", after("sk-1")),
        (
            "inference/lifecycle",
            json!({"inferenceId": "i", "conversationId": "c", "turnIndex": 0, "phase": "started",
                   "model": {"id": "m"}, "usage": {"inputTokens": 1, "outputTokens": 2}}),
        ),
        (
            "inference/chunk",
            json!({"requestId": 1, "index": 0, "delta": "a"}),
        ),
        ("channels/publish", publish("acc:lobby", "a")),
        ("channels/outgoing/chunk", outgoing(0)),
        ("channels/outgoing/complete", complete),
        (
            "channels/typing",
            json!({"channelId": "acc:lobby", "op": "start"}),
        ),
    ]
}

/// An update after which everything is as it was.
fn update() -> Value {
    json!({
        "enabled": ["acc.*"], "disabled": ["acc.nope"],
        "scopes": {"acc.files": {"whitelist": ["/a"], "blacklist": ["/b"]}},
        "effectiveCapabilities": [
            "pushEvents", "contextHooks.beforeInference.inject.*", "contextHooks.beforeInference.observe",
            "channels.*", "inferenceLifecycle", "inferenceRequest", "modelInfo", "tools",
        ],
        "deniedCapabilities": ["contextHooks"],
    })
}

/// Every way to spoil one member somewhere in a value: each with its path, and what was done.
pub(crate) fn spoilt(value: &Value) -> Vec<(String, &'static str, Value)> {
    let mut all = Vec::new();
    for pointer in pointers(value) {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let kind = |value: &Value| std::mem::discriminant(value);
        let was = value.pointer(&pointer).unwrap();
        let mut missing = value.clone();
        match missing.pointer_mut(parent).unwrap() {
            Value::Object(members) => _ = members.remove(name),
            Value::Array(entries) => _ = entries.remove(name.parse().unwrap()),
            _ => unreachable!(),
        }
        all.push((pointer.clone(), "missing", missing));
        for wrong in [
            Value::Null,
            json!(true),
            json!(5),
            json!(-1),
            json!(1.5),
            json!(1e300),
            json!(""),
            json!("\u{0}x"),
            json!([]),
            json!([null]),
            json!({}),
            json!({"a": {"b": []}}),
        ] {
            let mut with = value.clone();
            let same = kind(&wrong) == kind(was);
            let what = match (&wrong, same) {
                (Value::Null, false) => "null",
                (_, false) => "wrong",
                (_, true) => "other",
            };
            *with.pointer_mut(&pointer).unwrap() = wrong;
            all.push((pointer.clone(), what, with));
        }
    }
    all
}

fn pointers(value: &Value) -> Vec<String> {
    let members: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), value))
            .collect(),
        Value::Array(entries) => entries
            .iter()
            .enumerate()
            .map(|(at, value)| (at.to_string(), value))
            .collect(),
        _ => Vec::new(),
    };
    let mut all = Vec::new();
    for (name, value) in members {
        all.push(format!("/{name}"));
        all.extend(
            pointers(value)
                .into_iter()
                .map(|rest| format!("/{name}{rest}")),
        );
    }
    all
}

/// With each object of a value given a member that nobody knows.
fn with_extras(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| (name.clone(), with_extras(value)));
            let extra = ("x-unknown".to_owned(), json!({"deep": [1, null]}));
            Value::Object(members.chain([extra]).collect())
        }
        Value::Array(entries) => entries.iter().map(with_extras).collect(),
        other => other.clone(),
    }
}

pub(crate) async fn hosts() -> [McplHost; 2] {
    let hosts = [host_04().await, host_05().await];
    for host in &hosts {
        tool(host, "acc_chan_register", json!({})).await;
    }
    hosts
}

#[tokio::test]
async fn every_spoilt_request_is_answered_and_blames_its_params() {
    for host in hosts().await {
        for (method, good, required) in requests() {
            let expected = host.request(method, good.clone()).await;
            let is_04 = host.version().as_str() == "0.4";
            let has = match method {
                "mcpl/manifest" => !is_04,
                "context/afterInference" => is_04,
                _ => true,
            };
            if !has {
                continue;
            }
            for (pointer, what, params) in spoilt(&good) {
                // Where blocks are due, a plain text stands for one of them.
                let text = pointer == "/content" && params["content"].is_string();
                let answer = host.request(method, params).await;
                let name = pointer.trim_start_matches('/');
                let code = answer.code_or_0();
                let blamed = match what {
                    "missing" | "null" => required.contains(&name),
                    "wrong" => !text && (required.contains(&name) || name == "enabled"),
                    _ => false,
                };
                assert!(
                    !blamed || code == -32602,
                    "{method} {pointer} {what}: {answer:?}"
                );
                assert_ne!(code, -32603, "{method} {pointer} {what}: {answer:?}");
                host.request("featureSets/update", update()).await.unwrap();
            }
            if method == "featureSets/update" || method == "channels/publish" {
                continue;
            }
            let odd = host.request(method, with_extras(&good)).await;
            assert_eq!(odd.code_or_0(), expected.code_or_0(), "{method}");
            if let (Ok(odd), Ok(expected)) = (odd, expected) {
                assert_eq!(odd, expected, "{method}");
            }
        }
        let all = host
            .request("context/beforeInference", before())
            .await
            .unwrap();
        assert_eq!(all["contextInjections"].as_array().unwrap().len(), 3);
    }
}

#[tokio::test]
async fn every_spoilt_notification_is_passed_over() {
    for host in hosts().await {
        for (method, good) in notifications() {
            for (_, _, params) in spoilt(&good) {
                host.notify(method, params).await.unwrap();
            }
            host.notify(method, with_extras(&good)).await.unwrap();
            host.request("ping", json!({})).await.unwrap();
        }
        host.request("featureSets/update", update()).await.unwrap();
        let all = host
            .request("context/beforeInference", before())
            .await
            .unwrap();
        assert_eq!(all["contextInjections"].as_array().unwrap().len(), 3);
        let unasked = of_server(&host).into_iter();
        let unasked =
            unasked.filter(|message| message["id"].is_null() && message.get("method").is_none());
        assert_eq!(unasked.count(), 0, "no notification is answered");
    }
}

#[tokio::test]
async fn params_that_are_no_object_are_answered_too() {
    let host = host_04().await;
    let mut id = 0;
    for (method, _, _) in requests() {
        for params in [
            json!([]),
            json!([1]),
            json!("x"),
            json!(5),
            json!(true),
            Value::Null,
        ] {
            id += 1;
            let message = json!({"jsonrpc": "2.0", "id": format!("p{id}"), "method": method, "params": params});
            let answer = super::rig::ask_raw(&host, message).await;
            assert!(
                answer["error"].is_object() || answer["result"].is_object(),
                "{answer}"
            );
        }
        id += 1;
        let message = json!({"jsonrpc": "2.0", "id": format!("p{id}"), "method": method});
        let answer = super::rig::ask_raw(&host, message).await;
        assert_ne!(answer["error"]["code"], -32603, "{answer}");
    }
}

#[tokio::test]
async fn content_is_of_known_kinds_or_kept_as_it_is() {
    let host = host_04().await;
    tool(&host, "acc_chan_register", json!({})).await;
    let ask = async |content: Value| {
        let mut params = publish("acc:lobby", "");
        params["content"] = content;
        host.request("channels/publish", params).await
    };
    for good in [
        json!([]),
        json!("a plain text"),
        json!([{"type": "video", "frames": [1]}]),
        json!([{"type": "image", "uri": "x://1"}, {"type": "audio", "data": "", "mimeType": "audio/wav"}]),
        json!([{"type": "text", "text": "a", "annotations": {"b": 1}}]),
    ] {
        assert_eq!(
            ask(good.clone()).await.unwrap()["delivered"],
            true,
            "{good}"
        );
    }
    let published = state(&host).await["published"].as_array().unwrap().clone();
    let texts: Vec<_> = published
        .iter()
        .map(|one| one["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["", "a plain text", "", "", "a"]);
    for bad in [
        json!([{"type": "image", "uri": "x://1", "data": "", "mimeType": "image/png"}]),
        json!([{"type": "image"}]),
        json!([{"type": "image", "data": "aGk="}]),
        json!([{"type": "text"}]),
        json!([{"type": "resource"}]),
        json!([{"text": "a"}]),
        json!([null]),
        json!(5),
    ] {
        let answer = ask(bad.clone()).await;
        assert_eq!(answer.code_or_0(), -32602, "{bad}: {answer:?}");
    }
}
