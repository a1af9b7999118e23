//! What each decision does to each kind of message, on both generations, on streams and over HTTP.

use std::sync::mpsc::channel;

use hooks_sdk::aos::{Bypass, FailureClass, Messages, Posture};
use hooks_tests::client::{peer::Kind, text};
use serde_json::{Value, json};

use super::{
    PATIENCE, SHORT, peers,
    policy::{DENY, FORGE, HANG, MASK, Policy},
};

/// Two words that a guardian sees as one only when the server sends them.
fn parts(word: &'static str) -> [&'static str; 2] {
    let (first, second) = word.split_at(2);
    [first, second]
}

#[tokio::test]
async fn what_is_allowed_goes_on_and_the_guardian_sees_it_once_each_way() {
    let policy = Policy::new();
    for (desk, client, mut peer) in peers(&policy, |client| client, Posture::Deny).await {
        let before = policy.methods().len();
        let answer = peer.call("say", &["hello"]).await;
        assert_eq!(text(&answer["result"]), "hello", "{:?}", peer.kind);
        assert_eq!(desk.ran(), ["hello"]);
        let seen = policy.methods();
        assert_eq!(seen[before..], ["tools/call", ""], "{:?}", peer.kind);
        assert_eq!(client.counts().denied, 0);
    }
}

#[tokio::test]
async fn a_denied_request_of_the_client_is_answered_and_never_handled() {
    let policy = Policy::new();
    for (desk, client, mut peer) in peers(&policy, |client| client, Posture::Deny).await {
        let answer = peer.call("say", &[DENY]).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert_eq!(text(&answer["result"]), "not allowed");
        let why = json!({"code": "RULE", "reason": "not allowed"});
        assert_eq!(answer["result"]["_meta"]["hooks-sdk/violation"], why);
        let answer = peer.answer("desk/say", json!({"text": DENY})).await;
        let error = json!({"code": -32603, "message": "not allowed", "data": why});
        assert_eq!(answer["error"], error, "{answer}");
        assert!(desk.ran().is_empty(), "{:?}", peer.kind);
        assert_eq!(client.counts().denied, 2);
    }
}

#[tokio::test]
async fn a_changed_message_goes_on_in_place_of_the_other() {
    let policy = Policy::new();
    for (desk, _, mut peer) in peers(&policy, |client| client, Posture::Deny).await {
        let answer = peer.call("say", &[MASK]).await;
        assert_eq!(text(&answer["result"]), "[masked]", "{:?}", peer.kind);
        let answer = peer.answer("desk/say", json!({"text": MASK})).await;
        assert_eq!(answer["result"]["text"], "[masked]");
        assert_eq!(desk.ran(), ["[masked]", "\"[masked]\""]);
        let answer = peer.call("say", &parts(MASK)).await;
        assert_eq!(text(&answer["result"]), "[masked]", "{answer}");
        peer.notify(MASK).await;
        assert_eq!(desk.heard(1).await, ["[masked]"]);
        assert_eq!(peer.told(&parts(MASK), 1).await, ["[masked]"]);
    }
}

#[tokio::test]
async fn a_denied_answer_becomes_an_error_with_its_id() {
    let policy = Policy::new();
    for (desk, _, mut peer) in peers(&policy, |client| client, Posture::Deny).await {
        let answer = peer.call("say", &parts(DENY)).await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert_eq!(answer["error"]["message"], "Blocked: not allowed");
        assert!(answer["id"].is_u64() && answer.get("result").is_none());
        assert_eq!(desk.ran(), [DENY], "the tool ran");
    }
}

#[tokio::test]
async fn a_denied_notification_is_dropped_and_counted() {
    let policy = Policy::new();
    for (desk, client, mut peer) in peers(&policy, |client| client, Posture::Deny).await {
        if peer.kind == Kind::StreamStateless {
            // The first message of such a stream is a request.
            peer.call("say", &["hello"]).await;
        }
        peer.notify(DENY).await;
        peer.notify("fine").await;
        assert_eq!(desk.heard(1).await, ["fine"], "{:?}", peer.kind);
        assert_eq!(client.counts().denied, 1);
        let [first, second] = parts(DENY);
        let told = peer.told(&[first, second, ",fine"], 1).await;
        assert_eq!(told, ["fine"], "{:?}", peer.kind);
        assert_eq!(client.counts().denied, 2);
    }
}

#[tokio::test]
async fn a_denied_request_of_the_server_fails_and_so_does_one_whose_answer_is_denied() {
    let policy = Policy::new();
    for (_, _, mut peer) in peers(&policy, |client| client, Posture::Deny).await {
        if !peer.kind.is_asked() {
            continue;
        }
        let said = |all: &[Value]| text(&all.last().expect("an answer")["result"]);
        let all = peer.all("ask", &["hello"], "world").await;
        assert_eq!(
            (all.len(), said(&all)),
            (2, "\"world\"".to_owned()),
            "{all:?}"
        );
        let all = peer.all("ask", &parts(DENY), "").await;
        let denied = "failed: -32603 not allowed";
        assert_eq!((all.len(), said(&all)), (1, denied.to_owned()), "{all:?}");
        let all = peer.all("ask", &["hello"], DENY).await;
        assert_eq!((all.len(), said(&all)), (2, denied.to_owned()), "{all:?}");
        let all = peer.all("ask", &["hello"], MASK).await;
        assert_eq!(said(&all), "\"[masked]\"");
    }
}

#[tokio::test]
async fn a_changed_id_is_no_decision() {
    let policy = Policy::new();
    for (desk, client, mut peer) in peers(&policy, |client| client, Posture::Deny).await {
        let answer = peer.call("say", &[FORGE]).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(desk.ran().is_empty());
        let answer = peer.call("say", &parts(FORGE)).await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert_eq!(client.counts().refused, 2);
        assert_eq!(client.counts().failed(FailureClass::GuardianError), 2);
    }
}

#[tokio::test]
async fn a_guardian_that_hangs_denies_or_is_bypassed_as_the_posture_says() {
    let policy = Policy::new();
    let short = |client: hooks_sdk::aos::GuardianClient<()>| client.timeout(SHORT);
    for (desk, client, mut peer) in peers(&policy, short, Posture::Deny).await {
        let answer = peer.call("say", &[HANG]).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(desk.ran().is_empty());
        let answer = peer.call("say", &parts(HANG)).await;
        assert!(answer.get("error").is_some(), "{answer}");
        assert_eq!(client.counts().failed(FailureClass::Timeout), 2);
    }
    let (record, recorded) = channel();
    let recording = |client: hooks_sdk::aos::GuardianClient<()>| {
        let record = record.clone();
        let record = move |bypass: &Bypass| record.send(bypass.clone()).expect("a test");
        client.timeout(SHORT).on_bypass(record)
    };
    for (desk, client, mut peer) in peers(&policy, recording, Posture::Proceed).await {
        let answer = peer.call("say", &[HANG]).await;
        assert_eq!(text(&answer["result"]), HANG, "{:?}", peer.kind);
        assert_eq!(desk.ran(), [HANG]);
        // The call, and its answer.
        assert_eq!(client.counts().bypassed, 2);
        for _ in 0..2 {
            let bypass = recorded.recv_timeout(PATIENCE).expect("a record");
            assert_eq!(bypass.method.as_str(), "protocols/MCP");
            assert_eq!(bypass.class, FailureClass::Timeout);
        }
    }
}

#[tokio::test]
async fn only_the_messages_asked_for_are_shown() {
    for (messages, expected) in [
        (Messages::Inbound, ["tools/call"]),
        (Messages::Outbound, [""]),
    ] {
        let policy = Policy::new();
        let some = |client: hooks_sdk::aos::GuardianClient<()>| client.messages(messages);
        for (desk, _, mut peer) in peers(&policy, some, Posture::Deny).await {
            let before = policy.methods().len();
            peer.call("say", &["hello"]).await;
            assert_eq!(desk.ran(), ["hello"]);
            assert_eq!(policy.methods()[before..], expected, "{:?}", peer.kind);
        }
    }
}
