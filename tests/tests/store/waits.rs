//! Waits for new entries: across processes, and when their connection breaks.

use std::{sync::Arc, time::Duration};

use futures::future::join_all;
use hooks_sdk::store::{Log, LogPosition, PostgresStore, RedisStore, SqliteStore};
use hooks_tests::{postgres::Postgres, redis::Redis};
use redis::{Client, cmd};
use tokio::{task::JoinHandle, time::sleep};

use super::{LONG, bytes, key, postgres::other, soon};

/// Waits until the stream has an entry after `after`.
fn wait(log: &Arc<impl Log>, stream: &str, after: LogPosition) -> JoinHandle<()> {
    let (log, stream) = (log.clone(), key(stream));
    tokio::spawn(async move {
        while log.newest(&stream).await.unwrap() <= after {
            log.changed(&stream, after).await.unwrap();
        }
    })
}

/// One store stands for one process.
async fn one_wakes_the_other(one: Arc<impl Log>, other: Arc<impl Log>) {
    for stream in 0..10 {
        let stream = format!("stream {stream}");
        let mut after = LogPosition::START;
        for _ in 0..5 {
            let waits: Vec<_> = (0..5).map(|_| wait(&one, &stream, after)).collect();
            after = other.append(&key(&stream), bytes("x"), LONG).await.unwrap();
            for waited in soon(join_all(waits)).await {
                waited.unwrap();
            }
        }
    }
}

#[tokio::test]
async fn processes_on_one_file_wake_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let open = || Arc::new(SqliteStore::open(&path).unwrap());
    one_wakes_the_other(open(), open()).await;
}

#[tokio::test]
async fn processes_on_one_redis_wake_each_other() {
    let Some(redis) = Redis::start() else {
        return;
    };
    let open = || async { Arc::new(RedisStore::connect(&redis.url()).await.unwrap()) };
    one_wakes_the_other(open().await, open().await).await;
}

#[tokio::test]
async fn processes_on_one_postgres_wake_each_other() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let open = || async { Arc::new(PostgresStore::connect(&postgres.url()).await.unwrap()) };
    one_wakes_the_other(open().await, open().await).await;
}

/// Waits for an entry that does not come, and returns when the wait does. `hears` asks the database whether it would report
/// an entry.
async fn wait_once(log: Arc<impl Log>, hears: impl AsyncFn() -> bool) -> JoinHandle<()> {
    let stream = key("silent");
    let waiting = log.append(&stream, bytes("first"), LONG).await.unwrap();
    let wait = tokio::spawn(async move {
        _ = log.changed(&stream, waiting).await;
    });
    soon(async {
        while !hears().await {
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    assert!(!wait.is_finished());
    wait
}

#[tokio::test]
async fn waits_return_when_redis_ends_and_work_when_it_is_back() {
    let Some(mut redis) = Redis::start() else {
        return;
    };
    let store = Arc::new(RedisStore::connect(&redis.url()).await.unwrap());
    let client = Client::open(redis.url()).unwrap();
    let waiting = wait_once(store.clone(), async || {
        let mut connection = client.get_multiplexed_async_connection().await.unwrap();
        let channels = cmd("PUBSUB").arg("CHANNELS").to_owned();
        let channels: Vec<String> = channels.query_async(&mut connection).await.unwrap();
        !channels.is_empty()
    })
    .await;
    redis.kill();
    soon(waiting).await.unwrap();
    assert!(
        soon(store.changed(&key("a"), LogPosition::START))
            .await
            .is_err()
    );
    redis.restart();
    super::recovered(&*store).await;
    again(&store).await;
}

#[tokio::test]
async fn waits_return_when_postgres_ends_and_work_when_it_is_back() {
    let Some(mut postgres) = Postgres::start() else {
        return;
    };
    let store = Arc::new(PostgresStore::connect(&postgres.url()).await.unwrap());
    let client = other(&postgres).await;
    let waiting = wait_once(store.clone(), async || {
        let listens = "SELECT FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";
        !client.query(listens, &[]).await.unwrap().is_empty()
    })
    .await;
    postgres.kill();
    soon(waiting).await.unwrap();
    assert!(
        soon(store.changed(&key("a"), LogPosition::START))
            .await
            .is_err()
    );
    postgres.restart();
    super::recovered(&*store).await;
    again(&store).await;
}

/// Waits and wakes again. While the connection is still made, waits may fail.
async fn again(log: &Arc<impl Log>) {
    let stream = key("again");
    let waiting = {
        let (log, stream) = (log.clone(), stream.clone());
        tokio::spawn(async move {
            while log.newest(&stream).await.unwrap() == LogPosition::START {
                if log.changed(&stream, LogPosition::START).await.is_err() {
                    sleep(Duration::from_millis(20)).await;
                }
            }
        })
    };
    log.append(&stream, bytes("x"), LONG).await.unwrap();
    soon(waiting).await.unwrap();
}
