//! The stream of one request, and its resumption.

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use rmcp::transport::streamable_http_server::session::{EventStore, ServerSseMessage};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::{
    super::{ReplicaOptions, message::message},
    Replica, Weather, replica,
    store::Sky,
    until,
};

pub(super) fn event(value: &Value) -> ServerSseMessage {
    let message = message(value.to_string().as_bytes()).expect("a message");
    ServerSseMessage::from_message(message)
}

pub(super) fn note(number: u32) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"n": number}})
}

fn answer() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [], "more": {"x": 1}}})
}

fn two() -> (Arc<Weather>, [Replica; 2]) {
    let store = Arc::<Weather>::default();
    let settings = ReplicaOptions {
        resumable: true,
        ..ReplicaOptions::default()
    };
    let both = [(); 2].map(|()| replica(&store, settings.clone()));
    (store, both)
}

pub(super) fn json_of(event: &ServerSseMessage) -> Value {
    let message = event.message.as_deref().expect("a message");
    serde_json::to_value(message).expect("JSON")
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_resumed_at_another_replica_until_its_answer() {
    let (_store, [a, b]) = two();
    let priming = ServerSseMessage::retry(Duration::from_secs(3));
    let priming = a.replicas.store_event("4f", &priming);
    let priming = priming.await.expect("an id");
    let first = a
        .replicas
        .store_event("4f", &event(&note(1)))
        .await
        .expect("an id");
    a.replicas
        .store_event("5f", &event(&note(9)))
        .await
        .expect("an id");
    a.replicas
        .store_event("4f", &event(&note(2)))
        .await
        .expect("an id");

    let mut all = b
        .replicas
        .replay_events_after(&priming)
        .await
        .expect("a stream");
    let mut rest = b
        .replicas
        .replay_events_after(&first)
        .await
        .expect("a stream");
    let one = all.next().await.expect("an event");
    assert_eq!(one.event_id.as_ref(), Some(&first));
    assert_eq!(json_of(&one), note(1));
    for stream in [&mut all, &mut rest] {
        assert_eq!(json_of(&stream.next().await.expect("an event")), note(2));
        assert!(
            timeout(Duration::from_secs(60), stream.next())
                .await
                .is_err(),
            "it stays open"
        );
    }
    let last = a
        .replicas
        .store_event("4f", &event(&answer()))
        .await
        .expect("an id");
    for mut stream in [all, rest] {
        let end = stream.next().await.expect("the answer");
        assert_eq!(json_of(&end), answer());
        assert_eq!(end.event_id.as_ref(), Some(&last));
        assert!(stream.next().await.is_none(), "the answer ends the stream");
    }
    // After the answer there is nothing.
    let mut after = b
        .replicas
        .replay_events_after(&last)
        .await
        .expect("a stream");
    assert!(after.next().await.is_none());
    for odd in ["-", "x", "4f.1.x"] {
        let mut nothing = b.replicas.replay_events_after(odd).await.expect("a stream");
        assert!(nothing.next().await.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_replay_that_hears_nothing_ends() {
    let (_store, [a, b]) = two();
    let first = a
        .replicas
        .store_event("4f", &event(&note(1)))
        .await
        .expect("an id");
    let mut stream = b
        .replicas
        .replay_events_after(&first)
        .await
        .expect("a stream");
    let began = Instant::now();
    assert!(stream.next().await.is_none());
    assert!(began.elapsed() >= Duration::from_secs(600));
}

#[tokio::test(start_paused = true)]
async fn no_message_waits_for_a_slow_store_and_none_is_lost() {
    let (store, [a, b]) = two();
    let first = a
        .replicas
        .store_event("4f", &event(&note(1)))
        .await
        .expect("an id");
    until(async || store.appended() == 1).await;
    for sky in [Sky::Hangs, Sky::Down] {
        store.set(sky);
        let began = Instant::now();
        for number in 2..20 {
            a.replicas
                .store_event("4f", &event(&note(number)))
                .await
                .expect("an id");
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
        tokio::time::sleep(Duration::from_secs(3)).await;
    }
    store.set(Sky::Clear);
    a.replicas
        .store_event("4f", &event(&answer()))
        .await
        .expect("an id");
    let stream = b
        .replicas
        .replay_events_after(&first)
        .await
        .expect("a stream");
    let events: Vec<Value> = stream.map(|event| json_of(&event)).collect().await;
    let expected: Vec<Value> = (2..20).chain(2..20).map(note).chain([answer()]).collect();
    assert_eq!(events, expected);
}

#[tokio::test(start_paused = true)]
async fn what_does_not_fit_goes_out_and_is_counted() {
    let (_store, [a, _b]) = two();
    let unwritten = super::super::writer::UNWRITTEN.number();
    let large = json!({"jsonrpc": "2.0", "method": "x", "params": {"text": "x".repeat(1 << 20)}});
    let id = a
        .replicas
        .store_event("4f", &event(&large))
        .await
        .expect("an id");
    assert_eq!(id, "-");
    assert!(super::super::writer::UNWRITTEN.number() > unwritten);
}

#[tokio::test(start_paused = true)]
async fn without_resumption_a_request_costs_no_store_access() {
    let store = Arc::<Weather>::default();
    let a = replica(&store, ReplicaOptions::default());
    for _ in 0..3 {
        let id = a
            .replicas
            .store_event("4f", &event(&note(1)))
            .await
            .expect("an id");
        assert_eq!(id, "-");
    }
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(store.appended(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_server_writes_what_waits() {
    let (store, [a, b]) = two();
    let first = a
        .replicas
        .store_event("4f", &event(&note(1)))
        .await
        .expect("an id");
    a.replicas
        .store_event("4f", &event(&answer()))
        .await
        .expect("an id");
    a.ends.cancel();
    until(async || store.appended() == 2).await;
    let stream = b
        .replicas
        .replay_events_after(&first)
        .await
        .expect("a stream");
    let events: Vec<Value> = stream.map(|event| json_of(&event)).collect().await;
    assert_eq!(events, [answer()]);
}
