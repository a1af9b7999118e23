//! Completions on the paths that could pass by their hooks: cancelled, failed, too large, nested.

use hooks_sdk::{
    Collected, Policy,
    core::{Registry, Verdict, condition::Condition},
    plugin::{CompletionFetch, PluginAt, PluginHook, point, ready::SizeLimit},
};
use serde_json::{Value, json};

use crate::{
    desk::{Desk, with},
    peer::{Kind, Peer},
};

/// The params of a completion of the value.
pub(crate) fn completion(value: &str) -> Value {
    let reference = json!({"type": "ref/prompt", "name": "a"});
    json!({"ref": reference, "argument": {"name": "a", "value": value}})
}

fn code(answer: &Value) -> &Value {
    &answer["error"]["data"]["code"]
}

#[tokio::test]
async fn a_completion_that_is_cancelled_while_its_hooks_run_never_reaches_the_server() {
    let desk = Desk::default();
    let waits = {
        let desk = desk.clone();
        PluginHook::answering_any::<_, Verdict<CompletionFetch>>(
            "waits",
            point::completion_pre_fetch,
            move |_, _| {
                let (begun, leave) = (desk.begun.clone(), desk.leave.clone());
                Box::pin(async move {
                    begun.add_permits(1);
                    leave.acquire().await.unwrap().forget();
                    Verdict::Allow
                })
            },
        )
    };
    let Peer::Stream(mut stream) = Peer::of(Kind::StreamLegacy, with(&desk, [waits])).await else {
        unreachable!("a stream")
    };
    stream
        .send(Some(7), "completion/complete", completion("hang"))
        .await;
    desk.begun.acquire().await.unwrap().forget();
    let cancel = json!({"requestId": 7});
    stream.send(None, "notifications/cancelled", cancel).await;
    stream.send(Some(8), "ping", json!({})).await;
    assert_eq!(stream.next().await["id"], 8);
    desk.leave.add_permits(1);
    for id in 9..60 {
        stream.send(Some(id), "ping", json!({})).await;
        assert_eq!(stream.next().await["id"], id);
    }
    assert_eq!(desk.begun.available_permits(), 0, "the server completes");
}

#[tokio::test]
async fn a_rule_after_the_server_refuses_an_error_and_its_data_too() {
    let rule = || {
        let rule = PluginHook::deny("rule", point::completion_post_fetch, "not these");
        let when = Condition::parse(r#"result.values[*] = "*sk-secret*""#);
        rule.when(when.unwrap()).code("NO")
    };
    for kind in Kind::ALL {
        let desk = Desk::default();
        let mut peer = Peer::of(kind, with(&desk, [rule()])).await;
        for error in [
            json!({"code": -32000, "message": "with sk-secret"}),
            json!({"code": -32000, "message": "m", "data": {"at": ["sk-secret"]}}),
        ] {
            desk.relays(json!({"error": error}));
            let answer = peer.answer("completion/complete", completion("b")).await;
            assert_eq!(code(&answer), "NO", "{kind:?} {answer}");
            assert!(
                !answer.to_string().contains("sk-secret"),
                "{kind:?} {answer}"
            );
        }
        let error = json!({"code": -32000, "message": "m", "data": {"at": 1}});
        desk.relays(json!({"error": error}));
        let answer = peer.answer("completion/complete", completion("b")).await;
        assert_eq!(answer["error"], error, "{kind:?}");
    }
}

#[tokio::test]
async fn values_an_error_and_a_change_that_are_too_large_do_not_pass() {
    let policy = || {
        let limit = SizeLimit::new().characters(100);
        let policy = Policy::new().with(limit);
        policy.limit(PluginAt::CompletionPreFetch, 100)
    };
    let grow = || {
        PluginHook::answering_any::<_, Verdict<CompletionFetch>>(
            "grow",
            point::completion_pre_fetch,
            |fetch, _| {
                let changed = match &*fetch.value {
                    "grow" => Verdict::Modify(fetch.with("x".repeat(200))),
                    _ => Verdict::Allow,
                };
                Box::pin(async { changed })
            },
        )
    };
    for kind in Kind::ALL {
        let desk = Desk::default();
        let registry = Registry::builder().add(grow().into()).build().unwrap();
        let collected = Collected::of(registry).unwrap().policy(policy());
        let mut peer = Peer::of(kind, collected.wrap(desk.clone()).unwrap()).await;
        let long = "x".repeat(200);
        let small = json!({"completion": {"values": ["a"]}});
        desk.relays(small.clone());
        let answer = peer.answer("completion/complete", completion("grow")).await;
        assert_eq!(code(&answer), "payload_too_large", "{kind:?} {answer}");
        let answer = peer.answer("completion/complete", completion("b")).await;
        assert_eq!(
            answer["result"]["completion"], small["completion"],
            "{kind:?}"
        );
        for large in [
            json!({"completion": {"values": [long]}}),
            json!({"error": {"code": -32000, "message": long}}),
            json!({"error": {"code": -32000, "message": "m", "data": {"at": long}}}),
        ] {
            desk.relays(large);
            let answer = peer.answer("completion/complete", completion("b")).await;
            assert!(code(&answer).is_string(), "{kind:?} {answer}");
            assert!(!answer.to_string().contains(&long), "{kind:?} {answer}");
        }
    }
}

#[tokio::test]
async fn an_argument_that_is_no_text_reaches_neither_hooks_nor_the_server() {
    for kind in Kind::ALL {
        let desk = Desk::default();
        let never = PluginHook::deny("never", point::completion_pre_fetch, "no").code("NO");
        let mut peer = Peer::of(kind, with(&desk, [never])).await;
        let mut params = completion("b");
        params["context"] = json!({"arguments": {"other": {"value": ["nested"]}}});
        let answer = peer.answer("completion/complete", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{kind:?} {answer}");
        assert_ne!(code(&answer), "NO", "{kind:?} {answer}");
    }
}
