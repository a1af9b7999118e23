//! A Redis primary that is lost in the middle of writes, and a replica that takes over without the last of them.

use std::{collections::HashMap, sync::Arc, time::Duration};

use hooks_sdk::store::{EntryVersion, RedisStore, Store, Swap};
use hooks_tests::redis::Redis;
use redis::{Client, InfoDict, cmd};
use tokio::sync::Mutex;

use super::{bytes, forwarder::Forwarder, key, put, recovered, soon};

const WRITERS: u32 = 8;

/// A primary that does not wait for further replicas before it sends its data to one.
fn primary() -> Option<Redis> {
    Redis::start_with(&["--repl-diskless-sync-delay", "0"])
}

/// Asks until the replica has what the primary had.
async fn linked(replica: &Redis) {
    let client = Client::open(replica.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    loop {
        let info: InfoDict = cmd("INFO")
            .arg("replication")
            .query_async(&mut connection)
            .await
            .unwrap();
        if info.get::<String>("master_link_status").as_deref() == Some("up") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn replicate(redis: &Redis, of: Option<&Redis>) {
    let client = Client::open(redis.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let (host, port) = match of {
        Some(primary) => ("127.0.0.1", primary.port().to_string()),
        None => ("NO", "ONE".to_owned()),
    };
    let () = cmd("REPLICAOF")
        .arg(host)
        .arg(port)
        .query_async(&mut connection)
        .await
        .unwrap();
}

/// Which value each version of a key stands for, of all that was ever seen.
#[derive(Default)]
struct Seen(Mutex<HashMap<(u32, EntryVersion), String>>);

impl Seen {
    async fn saw(&self, writer: u32, version: EntryVersion, value: &str) {
        let mut seen = self.0.lock().await;
        let before = seen.insert((writer, version), value.to_owned());
        assert!(
            before.is_none_or(|before| before == value),
            "one version stands for two values"
        );
    }
}

/// Waits for more writes.
async fn more(seen: &Seen) {
    let before = seen.0.lock().await.len();
    soon(async {
        while seen.0.lock().await.len() < before + 100 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// Writes ascending numbers under a key of its own until told to end. Returns the number of accepted writes.
async fn write(
    store: Arc<RedisStore>,
    seen: Arc<Seen>,
    writer: u32,
    until: Arc<Mutex<bool>>,
) -> u32 {
    let name = key(&format!("writer {writer}"));
    let (mut accepted, mut expected) = (0, None);
    let mut number = 0;
    while !*until.lock().await {
        number += 1;
        let value = format!("{writer}:{number}");
        match soon(put(&*store, &name, expected, &value)).await {
            Ok(Swap::Done(version)) => {
                seen.saw(writer, version, &value).await;
                (accepted, expected) = (accepted + 1, Some(version));
            }
            // The replica may lack the last writes, so nobody knows what is there.
            Ok(Swap::Conflict(found)) => {
                expected = found.as_ref().map(|found| found.version);
                if let Some(found) = found {
                    let value = String::from_utf8(found.bytes.as_slice().to_vec()).unwrap();
                    seen.saw(writer, found.version, &value).await;
                }
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
    accepted
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_version_repeats_when_a_replica_takes_over() {
    let (Some(mut primary), Some(replica)) = (primary(), Redis::start()) else {
        return;
    };
    replicate(&replica, Some(&primary)).await;
    soon(linked(&replica)).await;
    let forwarder = Forwarder::to(primary.port()).await;
    let url = format!("redis://127.0.0.1:{}", forwarder.port());
    let store = Arc::new(RedisStore::connect(&url).await.unwrap());
    let seen = Arc::new(Seen::default());
    let end = Arc::new(Mutex::new(false));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| tokio::spawn(write(store.clone(), seen.clone(), writer, end.clone())))
        .collect();
    // From here on the replica misses what the primary accepts.
    more(&seen).await;
    replica.pause();
    more(&seen).await;
    primary.kill();
    replica.resume();
    replicate(&replica, None).await;
    forwarder.switch(replica.port());
    soon(recovered(&*store)).await;
    more(&seen).await;
    *end.lock().await = true;
    for writer in writers {
        assert!(soon(writer).await.unwrap() > 0);
    }
}

#[tokio::test]
async fn a_version_of_a_lost_write_is_not_accepted_by_the_replica() {
    let (Some(mut primary), Some(replica)) = (primary(), Redis::start()) else {
        return;
    };
    let forwarder = Forwarder::to(primary.port()).await;
    let url = format!("redis://127.0.0.1:{}", forwarder.port());
    let store = RedisStore::connect(&url).await.unwrap();
    let first = super::must_put(&store, &key("a"), None, "replicated").await;
    replicate(&replica, Some(&primary)).await;
    soon(linked(&replica)).await;
    replica.pause();
    let lost = super::must_put(&store, &key("a"), Some(first), "lost").await;
    // A replica's socket holds what it has not read: without the primary's end it would read it yet.
    let client = Client::open(primary.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let () = cmd("CLIENT")
        .arg(&["KILL", "TYPE", "replica"])
        .query_async(&mut connection)
        .await
        .unwrap();
    primary.kill();
    replica.resume();
    replicate(&replica, None).await;
    forwarder.switch(replica.port());
    recovered(&store).await;
    let found = store.load(&key("a")).await.unwrap().unwrap();
    match found.version == first {
        true => assert_eq!(found.bytes, bytes("replicated")),
        false => assert_eq!((found.version, found.bytes), (lost, bytes("lost"))),
    }
    // Whatever was lost: who writes now gets a version that the lost write had not.
    let next = super::must_put(&store, &key("a"), Some(found.version), "next").await;
    assert!(next != lost && next != first);
    match put(&store, &key("a"), Some(lost), "late").await.unwrap() {
        Swap::Conflict(Some(found)) => assert_eq!(found.version, next),
        other => panic!("{other:?}"),
    }
}
