//! Cancelled requests, and ids that are used again.

use hooks_tests::client::Client;
use serde_json::{Value, json};

use crate::{
    desk::{Desk, SECRET, cleaned, with},
    peer::{Kind, Peer, Stream},
};
use hooks_sdk::Hooked;

/// A request that is slow, of each kind.
const SLOW: [(&str, &str); 4] = [
    ("tools/call", r#"{"name": "slow", "arguments": {}}"#),
    ("prompts/get", r#"{"name": "slow"}"#),
    ("resources/read", r#"{"uri": "x:slow"}"#),
    (
        "completion/complete",
        r#"{"ref": {"type": "ref/prompt", "name": "a"}, "argument": {"name": "a", "value": "slow"}}"#,
    ),
];

fn stream(hooked: Hooked<Desk>) -> Stream {
    Stream::serve(hooked, false)
}

async fn begun(desk: &Desk, number: u32) {
    desk.begun.acquire_many(number).await.unwrap().forget();
}

#[tokio::test]
async fn the_answer_to_a_cancelled_request_never_leaves_on_a_stream() {
    for (method, params) in SLOW {
        let desk = Desk::default();
        let mut stream = stream(cleaned(&desk));
        stream.shake_hands().await;
        let params: Value = serde_json::from_str(params).unwrap();
        stream.send(Some(7), method, params.clone()).await;
        begun(&desk, 1).await;
        let cancel = json!({"requestId": 7});
        stream
            .send(None, "notifications/cancelled", cancel.clone())
            .await;
        stream.send(Some(7), method, params).await;
        let refused = stream.next().await;
        assert_eq!(
            (&refused["id"], &refused["error"]["code"]),
            (&json!(7), &json!(-32600))
        );
        desk.leave.add_permits(2);
        // However soon the id is used again, the old answer does not leave as it is.
        for _ in 0..200 {
            stream.send(Some(7), "ping", json!({})).await;
            let answer = stream.next().await;
            assert!(!answer.to_string().contains(SECRET), "{answer}");
        }
    }
}

#[tokio::test]
async fn an_id_in_use_is_refused_on_a_stream_and_free_after_the_answer() {
    let desk = Desk::default();
    let mut stream = stream(with(&desk, []));
    stream.shake_hands().await;
    let call = json!({"name": "slow", "arguments": {}});
    stream.send(Some(7), "tools/call", call.clone()).await;
    begun(&desk, 1).await;
    stream.send(Some(7), "ping", json!({})).await;
    assert_eq!(stream.next().await["error"]["code"], -32600);
    desk.leave.add_permits(1);
    assert_eq!(stream.next().await["result"]["content"][0]["text"], SECRET);
    stream.send(Some(7), "ping", json!({})).await;
    assert_eq!(stream.next().await["result"], json!({}));
}

async fn session(hooked: Hooked<Desk>) -> Client {
    match Peer::of(Kind::HttpLegacy, hooked).await {
        Peer::Http(client) => client,
        Peer::Stream(_) => unreachable!("a client of HTTP"),
    }
}

#[tokio::test]
async fn an_id_in_use_is_refused_over_http_and_its_first_request_is_answered() {
    let desk = Desk::default();
    let client = session(with(&desk, [])).await;
    let call = json!({"name": "slow", "arguments": {}});
    let call = client.message(Some(7), "tools/call", call).to_string();
    let posting = client.clone();
    let first = tokio::spawn(async move { posting.post(&call).await.last().await });
    begun(&desk, 1).await;
    let ping = client.message(Some(7), "ping", json!({})).to_string();
    let refused = client.post(&ping).await.last().await;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    desk.leave.add_permits(1);
    let answer = first.await.unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], SECRET, "{answer}");
    let answer = client.post(&ping).await.last().await;
    assert_eq!(answer["result"], json!({}), "{answer}");
}
