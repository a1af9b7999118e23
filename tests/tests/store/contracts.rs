//! The contract of stores, against every store.

use hooks_sdk::{
    store::{MemoryStore, PostgresStore, RedisStore, SqliteStore},
    testing::store_contract,
};
use hooks_tests::{postgres::Postgres, redis::Redis};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn memory_keeps_the_contract() {
    store_contract(MemoryStore::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sqlite_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    store_contract(SqliteStore::open(folder.path().join("store.db")).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn redis_keeps_the_contract() {
    let Some(redis) = Redis::start() else {
        return;
    };
    store_contract(RedisStore::connect(&redis.url()).await.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn postgres_keeps_the_contract() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    // The first connection to a server that has just begun can take longer than the store waits.
    for _ in 0..5 {
        if PostgresStore::connect(&postgres.url()).await.is_ok() {
            break;
        }
    }
    store_contract(PostgresStore::connect(&postgres.url()).await.unwrap()).await;
}
