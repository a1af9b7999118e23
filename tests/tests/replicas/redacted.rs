//! What the server sends by itself has no secret at any replica, also in a stream that is resumed.

use hooks_sdk::{Hooked, Policy, http, plugin::ready::Redact};

use hooks_tests::{client::text, faulty_store::FaultyStore, toy_server::ToyServer};
use serde_json::json;

use crate::desk::{TOKEN, open, serve_with};

fn redacting(hooked: Hooked<ToyServer>) -> Hooked<ToyServer> {
    hooked.policy(Policy::new().with(Redact::new()))
}

fn resumable(server: http::Server) -> http::Server {
    server.resumable(true)
}

#[tokio::test]
async fn a_message_that_another_replica_forwards_has_no_secret() {
    let store = FaultyStore::default();
    let [a, b] = serve_with(&store, redacting, resumable).await;
    let ada = open(&a, "ada").await;
    let mut heard = ada.at(&a).listen().await;
    let mut last = None;
    for at in [&b, &a] {
        assert_eq!(text(&ada.at(at).call("tell", json!({})).await), "told");
        let event = heard.until_event("notifications/told").await;
        assert_eq!(event.message["params"]["said"], "[REDACTED]");
        last = last.or(event.id);
    }
    drop(heard);
    let mut resumed = ada.at(&b).resume(&last.expect("an id")).await;
    let event = resumed.until_event("notifications/told").await;
    assert_eq!(event.message["params"]["said"], "[REDACTED]");
    assert_eq!(event.message["params"]["from"], 0);
}

#[tokio::test]
async fn a_stream_that_is_resumed_elsewhere_has_no_secret() {
    let store = FaultyStore::default();
    let [a, b, c] = serve_with(&store, redacting, resumable).await;
    let ada = open(&a, "ada").await;
    let mut call = ada
        .at(&a)
        .start("work", json!({"_meta": {"progressToken": 1}}))
        .await;
    let first = call.until_event("notifications/progress").await;
    assert_eq!(first.message["params"]["message"], "[REDACTED]");
    drop(call);
    a.server.leave.add_permits(1);
    for at in [&b, &c] {
        let id = first.id.as_deref().expect("an id");
        let mut resumed = ada.at(at).resume(id).await;
        for step in [2.0, 3.0] {
            let event = resumed.until_event("notifications/progress").await;
            assert_eq!(event.message["params"]["progress"], step);
            assert!(!event.message.to_string().contains(TOKEN));
        }
        assert_eq!(text(&resumed.answer().await["result"]), "worked");
    }
}
