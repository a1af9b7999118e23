//! The deadline of a call.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use hooks_sdk::CallDeadline;
use serde_json::json;

use crate::{
    desk::{Desk, SECRET, cleaned, with},
    peer::{ALL, Kind, Peer},
};

const SHORT: Duration = Duration::from_millis(300);

#[tokio::test]
async fn a_call_that_hangs_is_answered_at_its_deadline_and_dropped() {
    for kind in ALL {
        for is_hooked in [true, false] {
            let desk = Desk::default();
            let hooked = if is_hooked {
                cleaned(&desk)
            } else {
                with(&desk, [])
            };
            let mut peer = Peer::of(kind, hooked.call_deadline(SHORT)).await;
            let began = Instant::now();
            let answer = peer.call("hang").await;
            assert!(began.elapsed() >= SHORT + Duration::from_secs(1));
            assert_eq!(answer["result"]["isError"], true, "{kind:?} {answer}");
            let text = answer["result"]["content"][0]["text"].as_str().unwrap();
            assert!(text.contains("did not end within 0.3 s"), "{text}");
            assert!(desk.cancelled.load(Ordering::SeqCst), "{kind:?}");
            assert!(desk.dropped.load(Ordering::SeqCst), "{kind:?}");
            for (method, params) in [
                ("prompts/get", json!({"name": "slow"})),
                ("resources/read", json!({"uri": "x:slow"})),
            ] {
                let answer = peer.answer(method, params).await;
                assert_eq!(answer["error"]["code"], -32603, "{kind:?} {answer}");
            }
        }
    }
}

#[tokio::test]
async fn a_stream_has_no_deadline_unless_set() {
    let desk = Desk::default();
    let mut peer = Peer::of(
        Kind::StreamLegacy,
        with(&desk, []).call_deadline(CallDeadline::none()),
    )
    .await;
    desk.leave.add_permits(1);
    let answer = peer.call("slow").await;
    assert_eq!(answer["result"]["content"][0]["text"], SECRET);
}

#[tokio::test]
async fn time_spent_asking_the_user_does_not_count() {
    for kind in [Kind::StreamLegacy, Kind::HttpLegacy] {
        let desk = Desk::default();
        let peer = Peer::of(kind, with(&desk, []).call_deadline(SHORT)).await;
        let params = json!({"name": "ask", "arguments": {}});
        let accept = json!({"action": "accept", "content": {}});
        let answer = match peer {
            Peer::Stream(mut stream) => {
                stream.send(Some(7), "tools/call", params).await;
                let question = stream.next().await;
                tokio::time::sleep(SHORT * 4).await;
                let reply = json!({"jsonrpc": "2.0", "id": question["id"], "result": accept});
                stream.write(&reply).await;
                stream.next().await
            }
            Peer::Http(client) => {
                let mut asking = client.request("tools/call", params).await;
                let question = asking.until("elicitation/create").await;
                tokio::time::sleep(SHORT * 4).await;
                client.respond(&question["id"], accept).await;
                asking.last().await
            }
        };
        assert_eq!(
            answer["result"]["content"][0]["text"], "answered",
            "{kind:?} {answer}"
        );
    }
}

#[tokio::test]
async fn progress_extends_a_deadline_only_if_set() {
    for kind in [Kind::StreamLegacy, Kind::HttpLegacy] {
        for (deadline, expected) in [
            (
                CallDeadline::after(SHORT * 2).extended_by_progress(),
                "worked",
            ),
            (CallDeadline::after(SHORT * 2), "did not end"),
        ] {
            let desk = Desk::default();
            let mut peer = Peer::of(kind, with(&desk, []).call_deadline(deadline)).await;
            let params = json!({"name": "work", "arguments": {}, "_meta": {"progressToken": "p"}});
            let answer = peer.answer("tools/call", params).await;
            assert!(answer.to_string().contains(expected), "{kind:?} {answer}");
        }
    }
}
