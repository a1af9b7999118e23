//! A PostgreSQL that is slow, restarted, shared, or has tables of another layout.

use std::time::Duration;

use futures::future::join_all;
use hooks_sdk::store::{PostgresStore, Store};
use hooks_tests::postgres::Postgres;
use tokio_postgres::{Client, NoTls};

use super::{key, must_put, put, recovered, soon, text, unreachable};

async fn other(postgres: &Postgres) -> Client {
    let (client, connection) = tokio_postgres::connect(&postgres.url(), NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client
}

#[tokio::test]
async fn stores_that_start_at_once_make_the_tables_once() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let url = &postgres.url();
    let stores = join_all((0..12).map(|_| PostgresStore::connect(url))).await;
    let stores: Vec<PostgresStore> = stores.into_iter().map(Result::unwrap).collect();
    let version = must_put(&stores[0], &key("a"), None, "1").await;
    must_put(&stores[11], &key("a"), Some(version), "2").await;
    drop(stores);
    // A role that may not make tables uses those that are there.
    let client = other(&postgres).await;
    client
        .batch_execute(
            "CREATE ROLE plain LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC;
             GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO plain;",
        )
        .await
        .unwrap();
    let plain = url.replace("postgres@", "plain@");
    let store = PostgresStore::connect(&plain).await.unwrap();
    assert_eq!(text(&store, &key("a")).await.as_deref(), Some("2"));
    must_put(&store, &key("b"), None, "1").await;
    // Another schema has other sessions.
    client.batch_execute("CREATE SCHEMA second").await.unwrap();
    let second = format!("{url}&options=-csearch_path%3Dsecond");
    let store = PostgresStore::connect(&second).await.unwrap();
    assert_eq!(text(&store, &key("a")).await, None);
    client
        .batch_execute("UPDATE second.hooks_sdk_layout SET layout = 2")
        .await
        .unwrap();
    let newer = unreachable(PostgresStore::connect(&second).await);
    assert!(newer.contains("layout 2"), "{newer}");
}

#[tokio::test]
async fn a_restarted_postgres_is_used_again() {
    let Some(mut postgres) = Postgres::start() else {
        return;
    };
    let store = PostgresStore::connect(&postgres.url()).await.unwrap();
    let version = must_put(&store, &key("a"), None, "1").await;
    postgres.kill();
    unreachable(soon(store.load(&key("a"))).await);
    unreachable(soon(put(&store, &key("a"), Some(version), "2")).await);
    postgres.restart();
    recovered(&store).await;
    assert_eq!(text(&store, &key("a")).await.as_deref(), Some("1"));
    must_put(&store, &key("a"), Some(version), "2").await;
}

#[tokio::test]
async fn a_paused_postgres_is_unreachable_and_then_goes_on() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let store = PostgresStore::connect(&postgres.url()).await.unwrap();
    must_put(&store, &key("a"), None, "1").await;
    postgres.pause();
    unreachable(soon(store.load(&key("a"))).await);
    let many = join_all((0..100).map(|_| async { store.load(&key("a")).await.is_err() }));
    assert!(soon(many).await.into_iter().all(|failed| failed));
    postgres.resume();
    recovered(&store).await;
    assert_eq!(text(&store, &key("a")).await.as_deref(), Some("1"));
}

#[tokio::test]
async fn a_row_that_another_one_holds_is_waited_for_in_bounded_time() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let store = PostgresStore::connect(&postgres.url()).await.unwrap();
    let version = must_put(&store, &key("a"), None, "1").await;
    let mut client = other(&postgres).await;
    let transaction = client.transaction().await.unwrap();
    transaction
        .execute("UPDATE hooks_sdk_entry SET version = version", &[])
        .await
        .unwrap();
    let slow = unreachable(soon(put(&store, &key("a"), Some(version), "2")).await);
    assert!(slow.contains("timeout"), "{slow}");
    transaction.rollback().await.unwrap();
    must_put(&store, &key("a"), Some(version), "2").await;
}

#[tokio::test]
async fn postgres_shows_no_key_and_expired_rows_are_deleted() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let store = PostgresStore::connect(&postgres.url()).await.unwrap();
    for number in 0..2500 {
        must_put(&store, &key(&format!("secret {number}")), None, "x").await;
    }
    drop(store);
    let client = other(&postgres).await;
    let rows = async |sql: &str| client.query_one(sql, &[]).await.unwrap().get::<_, i64>(0);
    let shown = "SELECT count(*) FROM hooks_sdk_entry WHERE position('secret'::bytea IN key) > 0";
    assert_eq!(rows(shown).await, 0);
    client
        .batch_execute("UPDATE hooks_sdk_entry SET expires = now()")
        .await
        .unwrap();
    // The first write of a store sweeps.
    let store = PostgresStore::connect(&postgres.url()).await.unwrap();
    must_put(&store, &key("kept"), None, "kept").await;
    soon(async {
        while rows("SELECT count(*) FROM hooks_sdk_entry").await > 1 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    assert_eq!(text(&store, &key("kept")).await.as_deref(), Some("kept"));
}

#[tokio::test]
async fn wrong_addresses_say_what_is_wrong() {
    for url in [
        "",
        "http://a",
        "postgres://a@127.0.0.1:1/a",
        "postgres://a@127.0.0.1/a?no=1",
    ] {
        let error = unreachable(soon(PostgresStore::connect(url)).await);
        assert!(
            error.len() > "the store cannot be reached: ".len(),
            "{error}"
        );
    }
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let url = postgres.url();
    let error = unreachable(PostgresStore::connect(&url.replace("/postgres?", "/none?")).await);
    assert!(error.contains("\"none\" does not exist"), "{error}");
    let encrypted = url.replace("sslmode=disable", "sslmode=require");
    let error = unreachable(PostgresStore::connect(&encrypted).await);
    assert!(error.contains("TLS"), "{error}");
}
