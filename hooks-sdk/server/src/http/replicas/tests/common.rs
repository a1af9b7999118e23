//! A session's own stream, over many replicas.

use std::{sync::Arc, time::Duration};

use futures::{Stream, StreamExt};
use rmcp::transport::streamable_http_server::session::{EventStore, ServerSseMessage};
use tokio::time::timeout;

use super::{
    super::{ReplicaOptions, entry::StreamEntry, events::stream_key},
    Replica, Weather,
    events::{event, json_of, note},
    replica,
    store::Sky,
    until,
};
use hooks_core::store::{Log, LogPosition};

fn three() -> (Arc<Weather>, [Replica; 3]) {
    let store = Arc::<Weather>::default();
    let all = [(); 3].map(|()| replica(&store, ReplicaOptions::default()));
    (store, all)
}

async fn say(at: &Replica, session: &str, number: u32) {
    let stream = format!("{session}:common");
    let id = at
        .replicas
        .store_event(&stream, &event(&note(number)))
        .await;
    assert_eq!(id.expect("an id"), "-");
}

async fn hears(stream: &mut (impl Stream<Item = ServerSseMessage> + Unpin), number: u32) -> String {
    let event = timeout(Duration::from_secs(60), stream.next()).await;
    let event = event.expect("in time").expect("an event");
    assert_eq!(json_of(&event), note(number));
    event.event_id.expect("an id")
}

async fn silent(stream: &mut (impl Stream<Item = ServerSseMessage> + Unpin)) {
    let event = timeout(Duration::from_secs(60), stream.next()).await;
    assert!(event.is_err(), "{event:?}");
}

/// Waits until the newest listener is in the log.
async fn settled(store: &Weather, session: &str, listeners: usize) {
    let stream = stream_key(&format!("{session}:common"));
    until(async || {
        let entries = store
            .inner
            .read(&stream, LogPosition::START, 1000)
            .await
            .expect("reachable");
        let listens = entries
            .iter()
            .filter(|entry| matches!(StreamEntry::of(&entry.bytes), Some(StreamEntry::Listens(_))));
        listens.count() >= listeners
    })
    .await;
    tokio::time::sleep(Duration::from_millis(100)).await;
}

#[tokio::test(start_paused = true)]
async fn a_listener_hears_every_replica_once_and_its_own_session_only() {
    let (store, [a, b, c]) = three();
    let mut heard = a.replicas.listen("s");
    let mut other = a.replicas.listen("t");
    settled(&store, "s", 1).await;
    for (number, at) in [&a, &b, &c, &b, &a].into_iter().enumerate() {
        say(at, "s", number as u32).await;
        hears(&mut heard, number as u32).await;
    }
    silent(&mut heard).await;
    silent(&mut other).await;
}

#[tokio::test(start_paused = true)]
async fn what_was_said_before_anybody_listened_is_heard() {
    let (_store, [a, b, _]) = three();
    say(&a, "s", 1).await;
    say(&a, "s", 2).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    say(&b, "s", 3).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut heard = a.replicas.listen("s");
    for number in 1..=3 {
        hears(&mut heard, number).await;
    }
    silent(&mut heard).await;
    drop(heard);
    tokio::time::sleep(Duration::from_millis(100)).await;
    say(&a, "s", 4).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut again = b.replicas.listen("s");
    hears(&mut again, 4).await;
    silent(&mut again).await;
}

#[tokio::test(start_paused = true)]
async fn the_newest_listener_hears_alone() {
    let (store, [a, b, c]) = three();
    let mut first = a.replicas.listen("s");
    settled(&store, "s", 1).await;
    let mut second = b.replicas.listen("s");
    settled(&store, "s", 2).await;
    for (number, at) in [&a, &b, &c].into_iter().enumerate() {
        say(at, "s", number as u32).await;
        hears(&mut second, number as u32).await;
    }
    let mut third = b.replicas.listen("s");
    settled(&store, "s", 3).await;
    say(&b, "s", 7).await;
    hears(&mut third, 7).await;
    silent(&mut first).await;
    silent(&mut second).await;
}

#[tokio::test(start_paused = true)]
async fn without_the_store_a_listener_hears_its_own_replica() {
    let (store, [a, b, _]) = three();
    let mut heard = a.replicas.listen("s");
    settled(&store, "s", 1).await;
    for sky in [Sky::Down, Sky::Hangs] {
        store.set(sky);
        say(&a, "s", 1).await;
        hears(&mut heard, 1).await;
        say(&b, "s", 2).await;
        silent_for(&mut heard, Duration::from_secs(3)).await;
        store.set(Sky::Clear);
        hears(&mut heard, 2).await;
        silent(&mut heard).await;
    }
    // A listener that comes while the store is away.
    store.set(Sky::Down);
    let mut late = a.replicas.listen("t");
    say(&a, "t", 3).await;
    hears(&mut late, 3).await;
    store.set(Sky::Clear);
    settled(&store, "t", 1).await;
    say(&b, "t", 4).await;
    hears(&mut late, 4).await;
    silent(&mut late).await;
}

async fn silent_for(stream: &mut (impl Stream<Item = ServerSseMessage> + Unpin), time: Duration) {
    let event = timeout(time, stream.next()).await;
    assert!(event.is_err(), "{event:?}");
}

#[tokio::test(start_paused = true)]
async fn a_listener_resumes_elsewhere_without_loss_or_repetition() {
    let (store, [a, b, c]) = three();
    let mut heard = a.replicas.listen("s");
    settled(&store, "s", 1).await;
    say(&a, "s", 1).await;
    say(&a, "s", 2).await;
    hears(&mut heard, 1).await;
    let last = hears(&mut heard, 2).await;
    drop(heard);
    say(&b, "s", 3).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    say(&a, "s", 4).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut resumed = c
        .replicas
        .replay_events_after(&last)
        .await
        .expect("a stream");
    hears(&mut resumed, 3).await;
    let last = hears(&mut resumed, 4).await;
    say(&c, "s", 5).await;
    hears(&mut resumed, 5).await;
    drop(resumed);
    let mut again = a
        .replicas
        .replay_events_after(&last)
        .await
        .expect("a stream");
    hears(&mut again, 5).await;
    silent(&mut again).await;
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_session_ends_its_listener_at_every_replica() {
    let (_store, [a, b, _]) = three();
    let session = a.open("ada").await;
    let mut heard = a.replicas.listen(&session);
    assert_eq!(b.delete("ada", &session).await, http::StatusCode::OK);
    let end = timeout(Duration::from_secs(60), heard.next())
        .await
        .expect("in time");
    assert!(end.is_none(), "{end:?}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_slowly_loses_nothing() {
    let (store, [a, b, _]) = three();
    let mut heard = a.replicas.listen("s");
    settled(&store, "s", 1).await;
    for number in 0..300 {
        say(if number % 3 == 0 { &b } else { &a }, "s", number).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut all = Vec::new();
    while let Ok(Some(event)) = timeout(Duration::from_secs(5), heard.next()).await {
        all.push(json_of(&event)["params"]["n"].as_u64().expect("a number"));
    }
    all.sort_unstable();
    assert_eq!(all, (0..300).collect::<Vec<_>>());
}
