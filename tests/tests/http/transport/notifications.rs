//! Notifications of clients without sessions reach the server, once.

use hooks_tests::client::{Client, LEGACY, STATELESS};
use serde_json::{Value, json};

use super::desk::{Heard, serve};

async fn next(heard: &Heard) -> Value {
    let mut heard = heard.lock().await;
    let next = tokio::time::timeout(std::time::Duration::from_secs(30), heard.recv());
    next.await
        .expect("a notification in time")
        .expect("a server")
}

#[tokio::test]
async fn a_notification_reaches_the_server_once() {
    let (address, heard) = serve().await;
    for version in [LEGACY, STATELESS] {
        let (client, _) = Client::of(version, address, json!({})).await;
        for method in ["notes/first", "notes/second"] {
            client.notify(method, json!({"id": 1})).await;
            let told = next(&heard).await;
            assert_eq!(told["method"], method, "{told}");
            assert_eq!(
                (&told["header"], &told["version"]),
                (&json!(version), &json!(version))
            );
            // A session has a stream to its client.
            assert_eq!(told["is_reached"], version == LEGACY, "{told}");
        }
    }
    assert!(heard.lock().await.try_recv().is_err(), "heard twice");
}

#[tokio::test]
async fn what_is_refused_is_not_heard() {
    let (address, heard) = serve().await;
    let stranger = Client::stranger(address);
    let message = stranger.message(None, "notes/refused", json!({}));
    let answer = stranger.post(&message.to_string()).await;
    assert!(answer.status.is_client_error(), "{}", answer.status);
    let client = Client::stateless(address);
    client.notify("notes/heard", json!({})).await;
    assert_eq!(next(&heard).await["method"], "notes/heard");
}
