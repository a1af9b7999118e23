//! Streams that break and are resumed.

use hooks_tests::{client::text, faulty_store::FaultyStore};
use serde_json::json;

use crate::desk::{open, serve};

#[tokio::test]
async fn a_call_is_resumed_at_another_replica() {
    let store = FaultyStore::default();
    let [a, b, c] = serve(&store, |server| server.resumable(true)).await;
    let ada = open(&a, "ada").await;
    let mut call = ada
        .at(&a)
        .start("work", json!({"_meta": {"progressToken": 1}}))
        .await;
    let first = call.until_event("notifications/progress").await;
    assert_eq!(first.message["params"]["progress"], 1.0);
    let id = first.id.expect("an id");
    assert!(!id.contains(ada.session.as_deref().expect("a session")));
    drop(call);

    let mut resumed = ada.at(&b).resume(&id).await;
    assert_eq!(resumed.status, 200);
    let second = resumed.until_event("notifications/progress").await;
    assert_eq!(second.message["params"]["progress"], 2.0);
    a.server.leave.add_permits(1);
    let third = resumed.until_event("notifications/progress").await;
    assert_eq!(third.message["params"]["progress"], 3.0);
    assert_eq!(text(&resumed.answer().await["result"]), "worked");
    assert!(resumed.next().await.is_none(), "the answer ends the stream");

    // Once more, from the middle, after the end.
    let mut again = ada.at(&c).resume(&third.id.expect("an id")).await;
    assert_eq!(text(&again.answer().await["result"]), "worked");
    assert!(again.next().await.is_none());
}

#[tokio::test]
async fn nobody_resumes_with_the_id_of_another() {
    let store = FaultyStore::default();
    let [a, b] = serve(&store, |server| server.resumable(true)).await;
    let ada = open(&a, "ada").await;
    let mut call = ada
        .at(&a)
        .start("work", json!({"_meta": {"progressToken": 1}}))
        .await;
    let id = call
        .until_event("notifications/progress")
        .await
        .id
        .expect("an id");
    let eve = open(&a, "eve").await;
    let second = open(&a, "ada").await;
    for other in [&eve, &second] {
        for id in [&*id, "0", "0/0", "-", "rs1.a.b"] {
            let mut stream = other.at(&b).resume(id).await;
            assert_eq!(stream.status, 200);
            assert!(stream.next().await.is_none(), "{id}");
        }
    }
    a.server.leave.add_permits(1);
    assert_eq!(text(&call.answer().await["result"]), "worked");
}

#[tokio::test]
async fn an_own_stream_is_resumed_at_another_replica() {
    let store = FaultyStore::default();
    let [a, b, c] = serve(&store, |server| server.resumable(true)).await;
    let ada = open(&a, "ada").await;
    let mut heard = ada.at(&a).listen().await;
    assert_eq!(text(&ada.at(&b).call("tell", json!({})).await), "told");
    let event = heard.until_event("notifications/told").await;
    assert_eq!(event.message["params"]["from"], 1);
    drop(heard);
    for at in [&c, &a] {
        assert_eq!(text(&ada.at(at).call("tell", json!({})).await), "told");
    }
    let mut resumed = ada.at(&b).resume(&event.id.expect("an id")).await;
    let mut from = Vec::new();
    for _ in 0..2 {
        let event = resumed.until_event("notifications/told").await;
        from.push(event.message["params"]["from"].clone());
    }
    from.sort_by_key(|from| from.as_u64());
    assert_eq!(from, [0, 2]);
    assert_eq!(text(&ada.at(&b).call("tell", json!({})).await), "told");
    let event = resumed.until_event("notifications/told").await;
    assert_eq!(event.message["params"]["from"], 1);
}
