//! Messages on a stream while a guardian takes its time: nothing waits but what its order says, and nothing is lost.

use std::collections::BTreeSet;

use hooks_sdk::aos::{GuardianClient, Posture};
use hooks_tests::{
    client::{peer::Stream, text},
    toy_server::one,
};
use serde_json::{Value, json};

use super::{
    SHORT,
    desk::Desk,
    guardian, hooked,
    peer::call,
    policy::{DENY, HANG, HOLD, MEET, Policy},
};

async fn legacy(policy: &Policy) -> (Desk, GuardianClient, Stream) {
    let desk = Desk::default();
    let client = guardian(policy).posture(Posture::Deny);
    let stream = Stream::legacy(hooked(&desk, client.clone())).await;
    (desk, client, stream)
}

#[tokio::test]
async fn the_guardian_is_asked_about_a_hundred_calls_at_a_time() {
    let policy = Policy::meeting(100);
    let (desk, _, mut stream) = legacy(&policy).await;
    let mut open = BTreeSet::new();
    for number in 0..100 {
        let number = number.to_string();
        // Before the last of them has come, the guardian decides about none.
        open.insert(call(&mut stream, "say", &[MEET, &number]).await);
    }
    while !open.is_empty() {
        let answer = stream.next().await;
        let id = answer["id"].as_u64().expect("an id");
        assert!(text(&answer["result"]).starts_with(MEET), "{answer}");
        assert!(open.remove(&id), "answered twice");
    }
    assert_eq!(desk.ran().len(), 100);
}

#[tokio::test]
async fn calls_and_notifications_keep_their_order_and_others_do_not_wait() {
    let policy = Policy::new();
    let (desk, _, mut stream) = legacy(&policy).await;
    let first = call(&mut stream, "say", &[HOLD]).await;
    call(&mut stream, "say", &["second"]).await;
    one(&policy.held).await;
    stream
        .notify("notifications/note", json!({"text": "1"}))
        .await;
    // None of these waits for a call.
    assert_eq!(desk.heard(1).await, ["1"]);
    assert_eq!(stream.answer("ping", json!({})).await["result"], json!({}));
    let said = stream.answer("desk/say", json!({"text": "free"})).await;
    assert_eq!(said["result"]["text"], "free");
    assert_eq!(desk.ran(), ["\"free\""]);
    policy.go.add_permits(2);
    let answers = [stream.next().await, stream.next().await];
    assert_eq!(answers[0]["id"], first);
    assert_eq!(desk.ran(), ["\"free\"", HOLD, "second"]);

    stream
        .notify("notifications/note", json!({"text": HOLD}))
        .await;
    one(&policy.held).await;
    for text in ["2", "3", "4"] {
        stream
            .notify("notifications/note", json!({"text": text}))
            .await;
    }
    assert_eq!(stream.answer("ping", json!({})).await["result"], json!({}));
    assert_eq!(desk.heard(1).await, ["1"]);
    policy.go.add_permits(1);
    assert_eq!(desk.heard(5).await, ["1", HOLD, "2", "3", "4"]);
}

#[tokio::test]
async fn what_the_server_tells_leaves_in_its_order_and_before_the_answer() {
    let policy = Policy::new();
    let (_, _, mut stream) = legacy(&policy).await;
    let id = call(&mut stream, "tell", &["1,HO", "LD,2"]).await;
    one(&policy.held).await;
    assert_eq!(stream.next().await["params"]["text"], "1");
    assert_eq!(stream.answer("ping", json!({})).await["result"], json!({}));
    policy.go.add_permits(1);
    assert_eq!(stream.next().await["params"]["text"], HOLD);
    assert_eq!(stream.next().await["params"]["text"], "2");
    assert_eq!(stream.next().await["id"], id);
}

#[tokio::test]
async fn a_request_is_cancelled_while_the_guardian_is_asked() {
    let policy = Policy::new();
    let (desk, _, mut stream) = legacy(&policy).await;
    let hanging = call(&mut stream, "say", &[HANG]).await;
    let second = call(&mut stream, "say", &["second"]).await;
    assert_eq!(stream.answer("ping", json!({})).await["result"], json!({}));
    let cancelled = json!({"requestId": hanging});
    stream.notify("notifications/cancelled", cancelled).await;
    // The next call waited for it.
    assert_eq!(stream.next().await["id"], second);
    assert_eq!(desk.ran(), ["second"]);
    assert!(
        stream.rest().await.is_empty(),
        "no answer to what was cancelled"
    );
}

#[tokio::test]
async fn a_cancellation_is_for_each_waiting_request_of_its_id() {
    let policy = Policy::new();
    let (desk, _, mut stream) = legacy(&policy).await;
    let id = call(&mut stream, "say", &[HOLD]).await;
    let params = json!({"name": "say", "arguments": {"words": ["again"]}});
    let again = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
    stream.write(&again).await;
    one(&policy.held).await;
    let cancelled = json!({"requestId": id});
    stream.notify("notifications/cancelled", cancelled).await;
    policy.go.add_permits(1);
    assert!(stream.rest().await.is_empty(), "no answer is due");
    assert_eq!(desk.ran(), [""; 0]);
}

#[tokio::test]
async fn every_request_is_answered_after_the_end_of_input() {
    let policy = Policy::new();
    let (desk, _, mut stream) = legacy(&policy).await;
    let ids = [
        call(&mut stream, "say", &[HOLD]).await,
        call(&mut stream, "say", &["HO", "LD"]).await,
        call(&mut stream, "say", &[DENY]).await,
    ];
    one(&policy.held).await;
    let rest = tokio::spawn(stream.rest());
    policy.go.add_permits(10);
    let rest = rest.await.expect("no panic");
    let answered: BTreeSet<u64> = rest
        .iter()
        .filter_map(|answer| answer["id"].as_u64())
        .collect();
    assert_eq!(answered, BTreeSet::from(ids), "{rest:?}");
    assert_eq!(desk.ran(), [HOLD, HOLD]);
}

#[tokio::test]
async fn no_more_is_read_than_may_wait_and_a_hanging_guardian_ends_that() {
    let policy = Policy::new();
    let desk = Desk::default();
    let client = guardian(&policy).timeout(SHORT).posture(Posture::Deny);
    let mut stream = Stream::legacy(hooked(&desk, client)).await;
    let mut open = BTreeSet::new();
    // More than are asked about at a time.
    for _ in 0..1500 {
        let params = json!({"text": HANG});
        open.insert(stream.request("desk/say", params).await);
    }
    while !open.is_empty() {
        let answer: Value = stream.next().await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert!(open.remove(&answer["id"].as_u64().expect("an id")));
    }
    assert!(desk.ran().is_empty());
}
