//! What the server sends by itself has no secret at any replica, also in a stream that is resumed.

use std::sync::Arc;

use hooks_sdk::{Hooked, Policy, http, plugin::ready::Redact};

use crate::{
    client::{Client, text},
    desk::{Desk, TOKEN, serve_with},
    store::Weather,
};

fn redacting(hooked: Hooked<Desk>) -> Hooked<Desk> {
    hooked.policy(Policy::new().with(Redact::new()))
}

fn resumable(server: http::Server<Desk>) -> http::Server<Desk> {
    server.resumable(true)
}

#[tokio::test]
async fn a_message_that_another_replica_forwards_has_no_secret() {
    let store = Arc::<Weather>::default();
    let [a, b] = serve_with(&store, redacting, resumable).await;
    let ada = Client::open(&a, "ada").await;
    let mut heard = ada.listen(&a).await;
    let mut last = None;
    for at in [&b, &a] {
        assert_eq!(ada.call(at, "tell").await, "told");
        let event = heard.until("notifications/told").await;
        assert_eq!(event.message["params"]["said"], "[REDACTED]");
        last = last.or(event.id);
    }
    drop(heard);
    let mut resumed = ada.resume(&b, &last.expect("an id")).await;
    let event = resumed.until("notifications/told").await;
    assert_eq!(event.message["params"]["said"], "[REDACTED]");
    assert_eq!(event.message["params"]["from"], 0);
}

#[tokio::test]
async fn a_stream_that_is_resumed_elsewhere_has_no_secret() {
    let store = Arc::<Weather>::default();
    let [a, b, c] = serve_with(&store, redacting, resumable).await;
    let ada = Client::open(&a, "ada").await;
    let mut call = ada.start(&a, 1, "work").await;
    let first = call.until("notifications/progress").await;
    assert_eq!(first.message["params"]["message"], "[REDACTED]");
    drop(call);
    a.desk.leave.add_permits(1);
    for at in [&b, &c] {
        let id = first.id.as_deref().expect("an id");
        let mut resumed = ada.resume(at, id).await;
        for step in [2.0, 3.0] {
            let event = resumed.until("notifications/progress").await;
            assert_eq!(event.message["params"]["progress"], step);
            assert!(!event.message.to_string().contains(TOKEN));
        }
        assert_eq!(text(&resumed.result().await), "worked");
    }
}
