//! Guardians that see whole messages: transports of others, and ids of pings.

use std::{convert::Infallible, sync::atomic::Ordering};

use hooks_sdk::{
    Collected, Hooked,
    aos::{Agent, AosHook, Guardian, McpMessage, Messages, Posture, Reply, point},
    core::{Registry, Verdict},
    rmcp::ServiceExt,
};
use hooks_tests::client::PATIENCE;
use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use serde_json::{Value, json};
use tokio::io::duplex;

use crate::{
    desk::{Desk, SECRET},
    peer::{Kind, Peer, Stream},
};

/// A server whose guardian denies every message with the secret, and every handshake that it is asked about.
fn guarded(desk: &Desk, messages: Messages) -> Hooked<Desk> {
    let rule = AosHook::answering_any("rule", point::mcp, |message: &McpMessage, _| {
        let text = Value::Object(message.message.clone()).to_string();
        let is_denied = text.contains(SECRET) || text.contains("protocolVersion\":\"2025");
        Box::pin(async move {
            match is_denied {
                true => Reply::deny("no"),
                false => Reply::<McpMessage>::allow(),
            }
        })
    });
    let request = AosHook::answering_any("request", point::tool_call_request, |_, _| {
        Box::pin(async { Verdict::<Infallible>::Allow })
    });
    let result = AosHook::answering_any("result", point::tool_call_result, |_, _| {
        Box::pin(async { Verdict::<Infallible>::Allow })
    });
    let read = AosHook::answering_any("read", point::knowledge_retrieval, |_, _| {
        Box::pin(async { Verdict::<Infallible>::Allow })
    });
    let registry = [rule, request, result, read].into_iter();
    let registry = registry.fold(Registry::builder(), |all, hook| all.add(hook.into()));
    let registry = registry.build().unwrap();
    let agent = Agent::new("desk", "Desk").provider("Example", "https://example.com");
    let client = Guardian::local_with(Guardian::with((), registry))
        .agent(agent)
        .messages(messages)
        .posture(Posture::Deny);
    let none = Registry::builder().build().unwrap();
    let collected = Collected::of(none).unwrap().guardian(client);
    collected.wrap(desk.clone()).unwrap()
}

#[tokio::test]
async fn a_guardian_of_messages_refuses_calls_on_a_transport_of_others() {
    for messages in [Messages::Inbound, Messages::Outbound, Messages::Both] {
        let desk = Desk::default();
        let (ours, theirs) = duplex(64 * 1024);
        let serving = ServiceExt::serve(guarded(&desk, messages), theirs);
        tokio::spawn(async move { serving.await.unwrap().waiting().await.unwrap() });
        let mut stream = Stream::of(ours, false);
        assert!(stream.shake_hands().await.get("result").is_some());
        desk.relays(json!({"content": [{"type": "text", "text": SECRET}]}));
        let call = json!({"name": "a", "arguments": {}});
        stream.send(Some(1), "tools/call", call).await;
        let answer = stream.next().await;
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .contains("transport"),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn a_guarded_message_on_a_transport_of_others_is_dropped_and_counted() {
    let recorder = DebuggingRecorder::new();
    let counted = recorder.snapshotter();
    let _guard = metrics::set_default_local_recorder(&recorder);
    let desk = Desk::default();
    let (ours, theirs) = duplex(64 * 1024);
    let serving = ServiceExt::serve(guarded(&desk, Messages::Outbound), theirs);
    tokio::spawn(async move { serving.await.unwrap().waiting().await.unwrap() });
    let mut stream = Stream::of(ours, false);
    stream.shake_hands().await;
    for method in [
        "notifications/roots/list_changed",
        "acme/told",
        "notifications/progress",
    ] {
        let params = json!({"text": SECRET, "progressToken": 1, "progress": 1});
        stream.send(None, method, params).await;
    }
    let call = json!({"name": "a", "arguments": {}});
    stream.send(Some(1), "tools/call", call).await;
    stream.next().await;
    stream.send(Some(2), "ping", json!({})).await;
    assert!(stream.next().await.get("result").is_some());
    let counted = counted.snapshot().into_vec().into_iter();
    let unseen = counted.filter(|(key, ..)| key.key().name() == "mcp.server.unseen_messages");
    let mut counts: Vec<(String, DebugValue)> = unseen
        .map(|(key, _, _, count)| {
            let kind = key.key().labels().map(|label| label.value().to_owned());
            (kind.collect(), count)
        })
        .collect();
    counts.sort_by(|one, other| one.0.cmp(&other.0));
    // The one that ends the handshake is a notification, too.
    let expected = [("notification", 4), ("request", 1)];
    let expected = expected.map(|(kind, number)| (kind.to_owned(), DebugValue::Counter(number)));
    assert_eq!(counts, expected);
    assert_eq!(desk.told.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn the_id_of_a_ping_exempts_no_other_answer() {
    let desk = Desk::default();
    let peer = Peer::of(Kind::HttpLegacy, guarded(&desk, Messages::Both)).await;
    let Peer::Http(client) = peer else {
        unreachable!("a client of HTTP")
    };
    let call = json!({"name": "slow", "arguments": {}});
    let call = client.message(Some(7), "tools/call", call).to_string();
    let posting = client.clone();
    let first = tokio::spawn(async move { posting.post(&call).await.last().await });
    desk.begun.acquire().await.unwrap().forget();
    let pings: Vec<_> = (0..12)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move {
                let mut all = String::new();
                for _ in 0..10 {
                    let ping = client.message(Some(7), "ping", json!({})).to_string();
                    all.push_str(&client.post(&ping).await.last().await.to_string());
                }
                all
            })
        })
        .collect();
    desk.leave.add_permits(1);
    let answer = first.await.unwrap().to_string();
    assert!(
        !answer.contains(SECRET) && answer.contains("no"),
        "{answer}"
    );
    for ping in pings {
        let all = ping.await.unwrap();
        assert!(!all.contains(SECRET), "{all}");
    }

    // On a stream, an error with the id of a ping.
    let peer = Peer::of(Kind::StreamLegacy, guarded(&desk, Messages::Both)).await;
    let Peer::Stream(mut stream) = peer else {
        unreachable!("a stream")
    };
    desk.relays(json!({"error": {"code": -32000, "message": SECRET}}));
    let call = json!({"name": "a", "arguments": {}});
    for id in 10..60 {
        stream.send(Some(id), "ping", json!({})).await;
        stream.send(Some(id), "tools/call", call.clone()).await;
    }
    for _ in 0..100 {
        let answer = stream.next().await;
        assert!(!answer.to_string().contains(SECRET), "{answer}");
    }
}

#[tokio::test]
async fn the_reason_of_a_cancellation_reaches_no_author_where_a_guardian_sees_messages_of_the_client()
 {
    for (messages, heard) in [
        (Messages::Inbound, Value::Null),
        (Messages::Both, Value::Null),
        (Messages::Outbound, json!(SECRET)),
    ] {
        let desk = Desk::default();
        let peer = Peer::of(Kind::StreamLegacy, guarded(&desk, messages)).await;
        let Peer::Stream(mut stream) = peer else {
            panic!("a stream");
        };
        let call = json!({"name": "slow", "arguments": {}});
        stream.send(Some(1), "tools/call", call).await;
        desk.begun.acquire().await.unwrap().forget();
        let cancelled = json!({"requestId": 1, "reason": SECRET});
        stream
            .send(None, "notifications/cancelled", cancelled)
            .await;
        let arrived = async {
            loop {
                match desk.heard() {
                    Value::Null => tokio::task::yield_now().await,
                    arrived => return arrived,
                }
            }
        };
        let arrived = tokio::time::timeout(PATIENCE, arrived).await.unwrap();
        assert_eq!(arrived, json!({"reason": heard}), "{messages:?}");
    }
}

#[tokio::test]
async fn a_notification_with_the_name_of_an_exempt_request_is_asked_about() {
    for kind in [Kind::StreamLegacy, Kind::StreamStateless] {
        let desk = Desk::default();
        let peer = Peer::of(kind, guarded(&desk, Messages::Inbound)).await;
        let Peer::Stream(mut stream) = peer else {
            unreachable!("a stream")
        };
        for (method, request) in [
            ("ping", json!(1)),
            ("initialize", json!(1)),
            ("server/discover", json!(1)),
            ("notifications/cancelled", Value::Null),
            ("notifications/cancelled", json!({"a": 1})),
        ] {
            let params = json!({"text": SECRET, "requestId": request});
            stream.send(None, method, params).await;
        }
        desk.relays(json!({"content": []}));
        let call = json!({"name": "a", "arguments": {}});
        stream.send(Some(1), "tools/call", call).await;
        while stream.next().await["id"] != 1 {}
        assert_eq!(desk.told.load(Ordering::SeqCst), 0, "{kind:?}");
    }
}
