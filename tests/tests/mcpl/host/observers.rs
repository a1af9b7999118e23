//! What a test sees of the connection.

use std::time::Duration;

use hooks_sdk::testing::{McplHost, RequestError, Side};
use serde_json::json;

use super::peer::{connected, event};

#[tokio::test]
async fn each_message_is_waited_for_once_and_dealt_with_before() {
    let (host, mut peer) = connected(McplHost::builder()).await;
    for id in ["1", "2"] {
        peer.result("push/event", event("acc.push", id)).await;
    }
    let first = host.wait_for("push/event").await.unwrap();
    assert_eq!(first["params"]["eventId"], "1");
    let second = host.wait_for("push/event").await.unwrap();
    assert_eq!(second["params"]["eventId"], "2");
    let waiting = host.wait_for_within("push/event", Duration::from_millis(5));
    assert!(matches!(waiting.await, Err(RequestError::TimedOut(_))));
    let (third, _) = tokio::join!(
        host.wait_for("push/event"),
        peer.request("push/event", event("acc.push", "3"))
    );
    assert_eq!(third.unwrap()["params"]["eventId"], "3");
    drop(peer);
    let gone = host.wait_for("push/event").await;
    assert_eq!(gone, Err(RequestError::Closed));
    let gone = host.wait_until(|_| false).await;
    assert_eq!(gone, Err(RequestError::Closed));
}

#[tokio::test]
async fn a_soak_keeps_what_it_was_told_to_keep() {
    let (host, mut peer) = connected(McplHost::builder().keep(3)).await;
    let (none, mut other) = connected(McplHost::builder().keep(0)).await;
    for n in 0..50 {
        peer.result("push/event", event("acc.push", &n.to_string()))
            .await;
        other
            .result("push/event", event("acc.push", &n.to_string()))
            .await;
    }
    assert_eq!(host.frames().len(), 3);
    assert_eq!(host.audit().len(), 3);
    assert!(none.frames().is_empty() && none.audit().is_empty());
    let (waited, _) = tokio::join!(
        none.wait_for("push/event"),
        other.request("push/event", event("acc.push", "last"))
    );
    assert_eq!(waited.unwrap()["params"]["eventId"], "last");
}

#[tokio::test]
async fn frames_stand_in_the_order_of_the_wire() {
    let (host, mut peer) = connected(McplHost::builder()).await;
    peer.result("push/event", event("acc.push", "1")).await;
    let frames = host.frames();
    assert_eq!(frames[0].message["id"], 0);
    let sides: Vec<_> = frames.iter().map(|frame| frame.from).collect();
    use Side::{Host, Server};
    assert_eq!(sides, [Host, Server, Host, Host, Server, Host]);
    assert_eq!(host.received("push/event").len(), 1);
}

#[tokio::test]
async fn a_server_that_does_not_read_does_not_stop_the_host_from_reading() {
    let (host, mut peer) = connected(McplHost::builder().infers("x ".repeat(2000))).await;
    let params = json!({"featureSet": "acc.infer", "stream": true, "messages": []});
    for _ in 0..20 {
        peer.request("inference/request", params.clone()).await;
    }
    peer.notify("channels/changed", json!({})).await;
    host.wait_for("channels/changed").await.unwrap();
    let mut answers = 0;
    while answers < 20 {
        answers += u32::from(peer.next().await.unwrap().get("result").is_some());
    }
}
