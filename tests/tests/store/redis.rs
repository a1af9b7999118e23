//! A Redis that is slow, full, restarted, or holds what others wrote.

use std::{sync::Arc, time::Duration};

use futures::future::join_all;
use hooks_sdk::store::{EntryVersion, RedisStore, Store, Swap};
use hooks_tests::redis::Redis;
use redis::{Client, Value, aio::MultiplexedConnection, cmd};

use super::{bytes, key, must_put, put, recovered, soon, text, unreachable};

async fn start() -> Option<(Redis, RedisStore, MultiplexedConnection)> {
    start_with(&[]).await
}

async fn start_with(settings: &[&str]) -> Option<(Redis, RedisStore, MultiplexedConnection)> {
    let redis = Redis::start_with(settings)?;
    let store = RedisStore::connect(&redis.url()).await.unwrap();
    let client = Client::open(redis.url()).unwrap();
    let other = client.get_multiplexed_async_connection().await.unwrap();
    Some((redis, store, other))
}

async fn run(connection: &mut MultiplexedConnection, line: &str) -> Value {
    let mut words = line.split(' ');
    let mut command = cmd(words.next().unwrap());
    command.arg(words.collect::<Vec<_>>());
    command.query_async(connection).await.unwrap()
}

async fn names(connection: &mut MultiplexedConnection) -> Vec<String> {
    cmd("KEYS").arg("*").query_async(connection).await.unwrap()
}

#[tokio::test]
async fn redis_shows_no_key_and_each_name_has_one_slot() {
    let Some((_redis, store, mut other)) = start().await else {
        return;
    };
    let secret = key("a secret of a session");
    must_put(&store, &secret, None, "kept").await;
    let names = names(&mut other).await;
    let [name] = &names[..] else {
        panic!("one name");
    };
    assert!(
        name.starts_with("hooks-sdk:") && !name.contains("secret"),
        "{name}"
    );
    assert!(
        name.contains('{') && name.ends_with('}'),
        "a cluster takes the slot of what is in braces: {name}"
    );
    let Value::Int(left) = run(&mut other, &format!("PTTL {name}")).await else {
        panic!("{name}");
    };
    assert!(left > 0, "what is written ends: {name}");
}

#[tokio::test]
async fn a_paused_redis_is_unreachable_and_then_goes_on() {
    let Some((redis, store, _)) = start().await else {
        return;
    };
    let version = must_put(&store, &key("a"), None, "1").await;
    redis.pause();
    let text_of = unreachable(soon(store.load(&key("a"))).await);
    assert!(text_of.contains("did not answer within 2s"), "{text_of}");
    // The outcome of this one is not known.
    unreachable(soon(put(&store, &key("a"), Some(version), "2")).await);
    let many = join_all((0..200).map(|_| async { store.load(&key("a")).await.is_err() }));
    assert!(soon(many).await.into_iter().all(|failed| failed));
    redis.resume();
    recovered(&store).await;
    let found = store.load(&key("a")).await.unwrap().unwrap();
    assert!(["1", "2"].map(bytes).contains(&found.bytes));
    must_put(&store, &key("a"), Some(found.version), "3").await;
}

#[tokio::test]
async fn a_killed_redis_is_unreachable_and_one_that_comes_back_is_used() {
    let Some((mut redis, store, _)) = start().await else {
        return;
    };
    let version = must_put(&store, &key("a"), None, "1").await;
    redis.kill();
    unreachable(soon(store.load(&key("a"))).await);
    unreachable(soon(put(&store, &key("a"), Some(version), "2")).await);
    redis.restart();
    recovered(&store).await;
    assert_eq!(text(&store, &key("a")).await, None, "it came back empty");
    match put(&store, &key("a"), Some(version), "2").await.unwrap() {
        Swap::Conflict(None) => {}
        other => panic!("{other:?}"),
    }
    assert_ne!(must_put(&store, &key("a"), None, "3").await, version);
}

#[tokio::test]
async fn a_connection_that_the_server_closed_costs_no_error() {
    let Some((_redis, store, mut other)) = start().await else {
        return;
    };
    let version = must_put(&store, &key("a"), None, "1").await;
    run(&mut other, "CLIENT KILL TYPE normal SKIPME yes").await;
    assert_eq!(text(&store, &key("a")).await.as_deref(), Some("1"));
    must_put(&store, &key("a"), Some(version), "2").await;
}

#[tokio::test]
async fn a_full_redis_refuses_writes_and_loses_nothing() {
    let Some((_redis, store, mut other)) = start_with(&["--maxmemory", "6mb"]).await else {
        return;
    };
    let version = must_put(&store, &key("kept"), None, "kept").await;
    let large = "x".repeat(500_000);
    let mut refusal = None;
    for number in 0..40 {
        let name = key(&format!("large {number}"));
        if let Err(error) = put(&store, &name, None, &large).await {
            refusal = Some(error);
            break;
        }
    }
    let refusal = unreachable(Err::<(), _>(refusal.expect("its memory ends")));
    assert!(refusal.contains("`maxmemory`"), "{refusal}");
    // Redis gives back the memory of the refused request: the next one could fit.
    run(&mut other, "CONFIG SET maxmemory 1mb").await;
    let refusal = unreachable(put(&store, &key("larger"), None, &large).await);
    assert!(refusal.contains("`maxmemory`"), "{refusal}");
    assert_eq!(text(&store, &key("kept")).await.as_deref(), Some("kept"));
    store.delete(&key("large 0"), None).await.unwrap();
    store.delete(&key("large 1"), None).await.unwrap();
    run(&mut other, "CONFIG SET maxmemory 100mb").await;
    must_put(&store, &key("kept"), Some(version), "kept").await;
}

#[tokio::test]
async fn a_flushed_script_cache_costs_no_error() {
    let Some((_redis, store, mut other)) = start().await else {
        return;
    };
    let mut version = None;
    for round in 0..5 {
        version = Some(must_put(&store, &key("a"), version, &round.to_string()).await);
        run(&mut other, "SCRIPT FLUSH").await;
        assert_eq!(text(&store, &key("a")).await, Some(round.to_string()));
        run(&mut other, "SCRIPT FLUSH").await;
    }
    store.delete(&key("a"), version).await.unwrap();
}

#[tokio::test]
async fn what_others_wrote_under_our_keys_is_an_error() {
    let Some((_redis, store, mut other)) = start().await else {
        return;
    };
    must_put(&store, &key("a"), None, "1").await;
    let entry = names(&mut other).await.remove(0);
    let expected = Some(EntryVersion(7));
    for line in [
        format!("SET {entry} short"),
        format!("SET {entry} longer-than-a-head"),
        format!("DEL {entry}"),
        format!("LPUSH {entry} wrong"),
    ] {
        run(&mut other, &line).await;
        if !line.starts_with("DEL") {
            unreachable(store.load(&key("a")).await);
            unreachable(put(&store, &key("a"), expected, "2").await);
            unreachable(put(&store, &key("a"), None, "2").await);
        }
    }
    let wrong = unreachable(store.load(&key("a")).await);
    assert!(wrong.contains("another program"), "{wrong}");
    // A deletion makes room for what is ours.
    store.delete(&key("a"), None).await.unwrap();
    must_put(&store, &key("a"), None, "ours").await;
}

#[tokio::test]
async fn a_replica_takes_no_writes_and_the_error_says_so() {
    let Some((redis, store, mut other)) = start().await else {
        return;
    };
    run(
        &mut other,
        &format!("REPLICAOF 127.0.0.1 {}", redis.port() + 1),
    )
    .await;
    let refusal = unreachable(put(&store, &key("a"), None, "1").await);
    assert!(refusal.contains("name the primary's address"), "{refusal}");
    run(&mut other, "REPLICAOF NO ONE").await;
    must_put(&store, &key("a"), None, "1").await;
}

#[tokio::test]
async fn wrong_addresses_say_what_is_wrong() {
    for url in [
        "",
        "http://127.0.0.1",
        "redis://127.0.0.1:1",
        "redis://127.0.0.1/x",
    ] {
        let error = unreachable(soon(RedisStore::connect(url)).await);
        assert!(
            error.len() > "the store cannot be reached: ".len(),
            "{error}"
        );
    }
    let Some(redis) = Redis::start_with(&["--requirepass", "hush"]) else {
        return;
    };
    let error = unreachable(
        soon(async {
            RedisStore::connect(&redis.url())
                .await?
                .load(&key("a"))
                .await
        })
        .await,
    );
    assert!(error.contains("password"), "{error}");
    let right = redis.url().replace("://", "://:hush@");
    let store = RedisStore::connect(&right).await.unwrap();
    must_put(&store, &key("a"), None, "1").await;
    assert!(!format!("{store:?}").contains("hush"));
    let wrong = redis.url().replace("://", "://:sesame@");
    let error = unreachable(soon(RedisStore::connect(&wrong)).await);
    assert!(!error.contains("sesame"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_through_restarts_lose_no_accepted_write() {
    let Some((redis, store, _)) = start().await else {
        return;
    };
    let store = Arc::new(store);
    let mut version = None;
    let mut last = 0;
    for round in 1..=60_u32 {
        if round % 20 == 0 {
            redis.pause();
        }
        let written = soon(put(&*store, &key("a"), version, &round.to_string())).await;
        redis.resume();
        match written {
            Ok(Swap::Done(done)) => (version, last) = (Some(done), round),
            Ok(Swap::Conflict(found)) => panic!("nobody else writes: {found:?}"),
            Err(_) => {
                recovered(&*store).await;
                tokio::time::sleep(Duration::from_millis(50)).await;
                let found = store.load(&key("a")).await.unwrap().unwrap();
                assert!(
                    [last, round]
                        .map(|round| bytes(&round.to_string()))
                        .contains(&found.bytes)
                );
                version = Some(found.version);
            }
        }
    }
}
