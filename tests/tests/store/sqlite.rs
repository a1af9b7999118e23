//! A file that is full.

use hooks_sdk::store::{SqliteStore, Store};

use super::{LONG, bytes, key, must_put, put};

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
