//! What the contract leaves out: how many entries there may be, the bytes of a file, and what is in it.

use std::{
    path::PathBuf,
    sync::{Arc, Barrier},
    thread,
    time::Duration,
};

use hooks_sdk::store::{Key, MemoryStore, SqliteStore, Store, StoreError};
use rusqlite::Connection;
use tokio::time::advance;

use super::{LONG, bytes, key, must_put, put, text};

/// Makes all entries older. A file goes by the clock of the computer, which no test moves.
async fn passes(time: Duration, file: Option<PathBuf>) {
    let Some(file) = file else {
        return advance(time).await;
    };
    let time = i64::try_from(time.as_millis()).unwrap();
    let file = Connection::open(file).unwrap();
    file.execute("UPDATE session SET expires = expires - ?1", [time])
        .unwrap();
}

#[tokio::test]
async fn a_file_with_too_many_bytes_takes_no_more_until_some_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("store.db")).unwrap();
    let store = store.with_capacity(1_000);
    let large = "x".repeat(1024 * 1024);
    let mut kept = Vec::new();
    let full = loop {
        let key = key(&format!("large {}", kept.len()));
        match store
            .compare_and_swap(&key, None, bytes(&large), LONG)
            .await
        {
            Ok(_) => kept.push(key),
            Err(error) => break error,
        }
    };
    assert!(full.to_string().contains("full"), "{full}");
    // 64 MiB of pages, in which each value has a little more than its bytes.
    assert!((60..=64).contains(&kept.len()), "{}", kept.len());
    assert!(put(&store, &key("another"), None, "small").await.is_err());
    // A value that does not grow is still written.
    let known = store.load(&kept[0]).await.unwrap().unwrap();
    let version = must_put(&store, &kept[0], Some(known.version), "small").await;
    store.delete(&kept[0], Some(version)).await.unwrap();
    must_put(&store, &key("another"), None, "small").await;
}

async fn is_full(store: &dyn Store, key: &Key) {
    let refused = put(store, key, None, "c").await;
    assert!(matches!(refused, Err(StoreError::Full(2))), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn what_has_expired_is_gone_and_its_room_free() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let sqlite = SqliteStore::open(&file).unwrap().with_capacity(2);
    let stores: [(Arc<dyn Store>, Option<PathBuf>); 2] = [
        (Arc::new(MemoryStore::with_capacity(2)), None),
        (Arc::new(sqlite), Some(file)),
    ];
    for (store, file) in stores {
        let store = &*store;
        let [one, two, three] = ["one", "two", "three"].map(key);
        let short = store.compare_and_swap(&one, None, bytes("a"), LONG / 2);
        short.await.unwrap();
        let kept = must_put(store, &two, None, "b").await;
        is_full(store, &three).await;
        assert_eq!(text(store, &one).await.as_deref(), Some("a"), "none goes");
        passes(LONG / 2, file).await;
        assert_eq!(text(store, &one).await, None);
        must_put(store, &three, None, "c").await;
        is_full(store, &one).await;
        // Writing what is there needs no room.
        must_put(store, &two, Some(kept), "b2").await;
        store.delete(&two, None).await.unwrap();
        must_put(store, &one, None, "a").await;
    }
}

#[tokio::test]
async fn a_copy_of_a_file_shows_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("store.db")).unwrap();
    must_put(&store, &key("a secret of sixteen"), None, "moved").await;
    drop(store);
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        all.extend(std::fs::read(entry.unwrap().path()).unwrap());
    }
    assert!(all.windows(5).any(|window| window == b"moved"));
    assert!(!all.windows(8).any(|window| window == b"a secret"));
}

#[test]
fn a_new_file_is_opened_by_many_at_once() {
    for _ in 0..50 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sessions.db");
        let barrier = Barrier::new(8);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    barrier.wait();
                    SqliteStore::open(&path).unwrap();
                });
            }
        });
    }
}

#[test]
fn what_is_no_store_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let error = SqliteStore::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("the store cannot be reached"), "{error}");
    let text = folder.path().join("notes.txt");
    std::fs::write(
        &text,
        "these are no sessions, and long enough not to be taken for an empty file".repeat(20),
    )
    .unwrap();
    let error = SqliteStore::open(&text).unwrap_err().to_string();
    assert!(error.contains("notes.txt"), "{error}");
}
