//! The contracts of stores and logs, against every store.

use hooks_sdk::{
    store::{MemoryStore, PostgresStore, RedisStore, SqliteStore},
    testing::{log_contract, store_contract},
};
use hooks_tests::{postgres::Postgres, redis::Redis};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn memory_keeps_the_contracts() {
    store_contract(MemoryStore::new()).await;
    log_contract(MemoryStore::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sqlite_keeps_the_contracts() {
    let folder = tempfile::tempdir().unwrap();
    let open = || SqliteStore::open(folder.path().join("store.db")).unwrap();
    store_contract(open()).await;
    log_contract(open()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn redis_keeps_the_contracts() {
    let Some(redis) = Redis::start() else {
        return;
    };
    store_contract(RedisStore::connect(&redis.url()).await.unwrap()).await;
    log_contract(RedisStore::connect(&redis.url()).await.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn postgres_keeps_the_contracts() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    store_contract(PostgresStore::connect(&postgres.url()).await.unwrap()).await;
    log_contract(PostgresStore::connect(&postgres.url()).await.unwrap()).await;
}
