//! What every store promises, run against each.

use std::{
    collections::HashSet,
    path::PathBuf,
    sync::{Arc, Barrier},
    thread,
    time::Duration,
};

use hooks_sdk::store::{
    Bytes, EntryVersion, Key, MemoryStore, SqliteStore, Store, StoreError, Stored, Swap,
};
use rusqlite::Connection;
use tokio::time::advance;

const LONG: Duration = Duration::from_secs(600);

type Make = Box<dyn Fn(usize) -> Arc<dyn Store>>;

/// Each store, to be made with a capacity, and its file.
fn stores() -> Vec<(&'static str, Make, Option<PathBuf>)> {
    let file = tempfile::tempdir().unwrap().keep().join("sessions.db");
    let path = file.clone();
    vec![
        (
            "memory",
            Box::new(|capacity| Arc::new(MemoryStore::with_capacity(capacity))),
            None,
        ),
        (
            "sqlite",
            Box::new(move |capacity| {
                let store = SqliteStore::open(&path).unwrap();
                Arc::new(store.with_capacity(capacity))
            }),
            Some(file),
        ),
    ]
}

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

fn key(number: u32) -> Key {
    Key::new(&u128::from(number).to_be_bytes())
}

fn bytes(text: &str) -> Bytes {
    Bytes::from(text.as_bytes())
}

async fn put(
    store: &dyn Store,
    key: &Key,
    expected: Option<EntryVersion>,
    text: &str,
    ttl: Duration,
) -> Option<EntryVersion> {
    match store
        .compare_and_swap(key, expected, bytes(text), ttl)
        .await
        .unwrap()
    {
        Swap::Done(version) => Some(version),
        Swap::Conflict(_) => None,
    }
}

async fn text(store: &dyn Store, key: &Key) -> Option<String> {
    let Stored { bytes, .. } = store.load(key).await.unwrap()?;
    Some(String::from_utf8(bytes.as_slice().to_vec()).unwrap())
}

#[tokio::test]
async fn only_who_has_seen_the_present_version_may_write() {
    for (name, make, _) in stores() {
        let store = make(10);
        let store = &*store;
        let key = key(1);
        assert_eq!(text(store, &key).await, None, "{name}");
        assert_eq!(
            put(store, &key, Some(EntryVersion(1)), "x", LONG).await,
            None,
            "{name}"
        );
        let first = put(store, &key, None, "a", LONG).await.unwrap();
        assert_eq!(put(store, &key, None, "x", LONG).await, None, "{name}");
        let second = put(store, &key, Some(first), "b", LONG).await.unwrap();
        match store
            .compare_and_swap(&key, Some(first), bytes("x"), LONG)
            .await
            .unwrap()
        {
            Swap::Conflict(Some(found)) => {
                assert_eq!((found.bytes, found.version), (bytes("b"), second), "{name}");
                assert!(found.left <= LONG && found.left > LONG / 2, "{name}");
            }
            other => panic!("{name}: {other:?}"),
        }
        assert_eq!(text(store, &super::store::key(2)).await, None, "{name}");
        let large = "x".repeat(100_000);
        put(store, &key, Some(second), &large, LONG).await.unwrap();
        assert_eq!(text(store, &key).await, Some(large), "{name}");
    }
}

#[tokio::test]
async fn a_version_does_not_come_back() {
    for (name, make, _) in stores() {
        let store = make(10);
        let store = &*store;
        let mut seen = HashSet::new();
        for _ in 0..5 {
            let version = put(store, &key(1), None, "a", LONG).await.unwrap();
            assert!(seen.insert(version), "{name}");
            store
                .delete(&key(1), Some(EntryVersion(u64::MAX >> 1)))
                .await
                .unwrap();
            assert!(
                text(store, &key(1)).await.is_some(),
                "{name}: another version is not deleted"
            );
            store.delete(&key(1), Some(version)).await.unwrap();
            assert_eq!(text(store, &key(1)).await, None, "{name}");
            store.delete(&key(1), None).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_writers_at_once_each_success_counts_once() {
    for (name, make, _) in stores() {
        let store = make(10);
        let writers = (0..8).map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut done = 0;
                while done < 50 {
                    let found = store.load(&key(1)).await.unwrap();
                    let count: u64 = found.as_ref().map_or(0, |found| {
                        std::str::from_utf8(found.bytes.as_slice())
                            .unwrap()
                            .parse()
                            .unwrap()
                    });
                    let expected = found.map(|found| found.version);
                    done += u64::from(
                        put(&*store, &key(1), expected, &(count + 1).to_string(), LONG)
                            .await
                            .is_some(),
                    );
                }
            })
        });
        for writer in writers.collect::<Vec<_>>() {
            writer.await.unwrap();
        }
        assert_eq!(
            text(&*store, &key(1)).await.as_deref(),
            Some("400"),
            "{name}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_has_expired_is_gone_and_its_room_free() {
    for (name, make, file) in stores() {
        let store = make(2);
        let store = &*store;
        let old = put(store, &key(1), None, "a", LONG / 2).await.unwrap();
        put(store, &key(2), None, "b", LONG).await.unwrap();
        assert!(
            matches!(
                store
                    .compare_and_swap(&key(3), None, bytes("c"), LONG)
                    .await,
                Err(StoreError::Full(2))
            ),
            "{name}"
        );
        assert_eq!(
            text(store, &key(1)).await.as_deref(),
            Some("a"),
            "{name}: none is dropped"
        );
        passes(LONG / 2, file).await;
        assert_eq!(text(store, &key(1)).await, None, "{name}");
        assert_eq!(
            put(store, &key(1), Some(old), "x", LONG).await,
            None,
            "{name}"
        );
        put(store, &key(3), None, "c", LONG).await.expect(name);
        assert!(
            matches!(
                store
                    .compare_and_swap(&key(1), None, bytes("c"), LONG)
                    .await,
                Err(StoreError::Full(2))
            ),
            "{name}"
        );
        // Writing what is there needs no room.
        let stored = store.load(&key(2)).await.unwrap().unwrap();
        put(store, &key(2), Some(stored.version), "b2", LONG)
            .await
            .expect(name);
        store.delete(&key(2), None).await.unwrap();
        put(store, &key(1), None, "a", LONG).await.expect(name);
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_gives_new_time() {
    for (name, make, file) in stores() {
        let store = make(2);
        let version = put(&*store, &key(1), None, "a", LONG / 2).await.unwrap();
        put(&*store, &key(1), Some(version), "a", LONG)
            .await
            .unwrap();
        passes(LONG / 2, file).await;
        assert_eq!(text(&*store, &key(1)).await.as_deref(), Some("a"), "{name}");
    }
}

#[tokio::test]
async fn two_processes_see_one_file_and_a_copy_of_it_shows_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    // Each opened store has a connection of its own, as another process would.
    let (one, other) = (
        SqliteStore::open(&path).unwrap(),
        SqliteStore::open(&path).unwrap(),
    );
    let secret = Key::new(b"a secret of sixteen");
    let version = put(&one, &secret, None, "kept", LONG).await.unwrap();
    assert_eq!(text(&other, &secret).await.as_deref(), Some("kept"));
    assert!(
        put(&other, &secret, Some(version), "moved", LONG)
            .await
            .is_some()
    );
    assert_eq!(put(&one, &secret, Some(version), "late", LONG).await, None);
    drop((one, other));
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
