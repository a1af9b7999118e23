//! Sessions whose calls come to several processes, over Redis and PostgreSQL.

use std::sync::Arc;

use futures::future::join_all;
use hooks_sdk::{
    session::{CallOutcome, Ledger, Machine, State},
    store::{PostgresStore, RedisStore, Store},
};
use hooks_tests::{postgres::Postgres, redis::Redis};
use serde_json::Map;

use super::key;

/// Floors 0 to 20: a call goes one up.
fn machine() -> Machine {
    let mut machine = Machine::builder().state(State::new("0").start().next("up", "1"));
    for floor in 1..20 {
        let state = State::new(floor.to_string()).next("up", (floor + 1).to_string());
        machine = machine.state(state);
    }
    machine.state(State::new("20").allow_any()).build().unwrap()
}

async fn climb(ledger: &Ledger) {
    let key = &key("session");
    let session = ledger.find(key).await.unwrap();
    let (input, outcome) = (Map::new(), CallOutcome::Succeeded);
    let step = ledger.record(key, session, "up", &input, outcome);
    assert!(step.await.unwrap().moved());
}

/// Each store stands for one process.
async fn a_session_moves(stores: [Arc<dyn Store>; 3]) {
    let ledgers = stores.map(|store| Ledger::new(machine(), store));
    climb(&ledgers[0]).await;
    climb(&ledgers[1]).await;
    let at = ledgers[2].find(&key("session")).await.unwrap();
    assert_eq!(ledgers[2].machine().name(at.state), "2");
    // Calls at once, on all of them: each moves the session once.
    join_all((0..18).map(|call| climb(&ledgers[call % 3]))).await;
    let at = ledgers[0].find(&key("session")).await.unwrap();
    assert_eq!(ledgers[0].machine().name(at.state), "20");
    ledgers[1].close(&key("session")).await.unwrap();
    let at = ledgers[2].find(&key("session")).await.unwrap();
    assert!(!at.is_kept());
}

#[tokio::test]
async fn a_session_moves_over_redis() {
    let Some(redis) = Redis::start() else {
        return;
    };
    let open = || async { Arc::new(RedisStore::connect(&redis.url()).await.unwrap()) };
    a_session_moves([open().await, open().await, open().await]).await;
}

#[tokio::test]
async fn a_session_moves_over_postgres() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let open = || async { Arc::new(PostgresStore::connect(&postgres.url()).await.unwrap()) };
    a_session_moves([open().await, open().await, open().await]).await;
}
