//! Files of the layout before the log.

use hooks_sdk::store::{Log, SqliteStore, Store};
use rusqlite::Connection;

use super::{LONG, bytes, key, must_put, text};

#[tokio::test]
async fn a_file_from_before_the_log_gets_one_and_keeps_its_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let old = SqliteStore::open(&path).unwrap();
    let version = must_put(&old, &key("a"), None, "kept").await;
    drop(old);
    Connection::open(&path)
        .unwrap()
        .execute_batch("DROP TABLE log; DROP TABLE stream; DROP TABLE streams;")
        .unwrap();
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(text(&store, &key("a")).await.as_deref(), Some("kept"));
    must_put(&store, &key("a"), Some(version), "moved").await;
    store.append(&key("a"), bytes("x"), LONG).await.unwrap();
}

#[tokio::test]
async fn a_file_with_too_many_bytes_takes_no_more_until_some_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("store.db")).unwrap();
    let store = store.with_capacity(1_000);
    let large = "x".repeat(1024 * 1024);
    let mut put = Vec::new();
    let full = loop {
        let key = key(&format!("large {}", put.len()));
        match store
            .compare_and_swap(&key, None, bytes(&large), LONG)
            .await
        {
            Ok(_) => put.push(key),
            Err(error) => break error,
        }
    };
    assert!(full.to_string().contains("full"), "{full}");
    // 64 MiB of pages, in which each value has a little more than its bytes.
    assert!((60..=64).contains(&put.len()), "{}", put.len());
    assert!(
        store
            .append(&key("stream"), bytes("x"), LONG)
            .await
            .is_err()
    );
    // A value that does not grow is still written.
    let known = store.load(&put[0]).await.unwrap().unwrap();
    let version = must_put(&store, &put[0], Some(known.version), "small").await;
    store.delete(&put[0], Some(version)).await.unwrap();
    store
        .append(&key("stream"), bytes("x"), LONG)
        .await
        .unwrap();
    must_put(&store, &key("another"), None, "small").await;
}

#[tokio::test]
async fn a_full_file_takes_no_new_stream() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = SqliteStore::open(&path).unwrap().with_capacity(2);
    store.append(&key("a"), bytes("x"), LONG / 2).await.unwrap();
    store.append(&key("b"), bytes("x"), LONG).await.unwrap();
    let refused = store.append(&key("c"), bytes("x"), LONG).await;
    assert!(refused.unwrap_err().to_string().contains("full"));
    store.append(&key("b"), bytes("y"), LONG).await.unwrap();
    // A file goes by the clock of the computer, which no test moves.
    let aged = Connection::open(&path).unwrap();
    let half = i64::try_from((LONG / 2).as_millis()).unwrap();
    aged.execute("UPDATE stream SET expires = expires - ?1", [half])
        .unwrap();
    store.append(&key("c"), bytes("x"), LONG).await.unwrap();
}
