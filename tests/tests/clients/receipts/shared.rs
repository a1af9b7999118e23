//! Session state and receipts in one file, and what is kept where they are off.

use std::{ffi::OsStr, time::Duration};

use hooks_sdk::{
    clients::history::{HookStore, is_off, now},
    session::Identity,
    store::{Bytes, SqliteStore, Store, Swap},
};

use super::{firing, fresh};

const PATIENCE: Duration = Duration::from_secs(5);
const HOUR: Duration = Duration::from_secs(3600);

async fn put(store: &dyn Store, id: &str, text: &str) -> bool {
    let key = Identity::Client(id).key(None);
    let swap = store
        .compare_and_swap(&key, None, Bytes::from(text.as_bytes()), HOUR)
        .await;
    matches!(swap.unwrap(), Swap::Done(_))
}

#[tokio::test]
async fn the_session_state_stands_beside_the_receipts() {
    let (_folder, path, server) = fresh();
    let sessions = server.sessions(PATIENCE).unwrap();
    assert!(put(&*sessions, "s", "ready").await);
    server.record_firings(&[firing("a", "s")]).unwrap();

    let fire = HookStore::open(&path);
    let seen = fire.sessions(PATIENCE).unwrap();
    let stored = seen
        .load(&Identity::Client("s").key(None))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(stored.bytes, Bytes::from(&b"ready"[..]));
    assert!(
        !put(&*seen, "s", "late").await,
        "it is there under the same key"
    );
    assert_eq!(fire.last_firings("s").unwrap()[0].hook, "a");
}

#[test]
fn a_plain_session_store_and_a_hook_store_are_not_taken_for_each_other() {
    let (folder, path, store) = fresh();
    store.mark("s", "start").unwrap();
    let error = SqliteStore::open(&path).unwrap_err().to_string();
    assert!(error.contains("use another file"), "{error}");
    let plain = folder.path().join("sessions.db");
    drop(SqliteStore::open(&plain).unwrap());
    let error = HookStore::open(&plain).mark("s", "start").unwrap_err();
    assert!(
        error.to_string().contains("another program's file"),
        "{error}"
    );
}

#[tokio::test]
async fn a_store_that_is_off_keeps_nothing() {
    let store = HookStore::off();
    assert_eq!(store.path(), None);
    store
        .record_firings(&[firing("a", "s"), firing("b", "s")])
        .unwrap();
    assert!(store.mark("s", "start").unwrap() && store.mark("s", "start").unwrap());
    assert!(!store.already_said("s", "start").unwrap());
    assert!(store.last_firings("s").unwrap().is_empty());
    assert!(store.last_at_events("claude-code").unwrap().is_empty());
    assert_eq!(store.prune(Default::default()).unwrap(), Default::default());
    // A session has a state all the same, as long as the process runs.
    assert!(put(&*store.sessions(PATIENCE).unwrap(), "s", "ready").await);
}

#[test]
fn without_receipts_a_hook_still_knows_when_it_was_silent() {
    let (_folder, path, _) = fresh();
    let store = HookStore::open(&path).receipts(false);
    let time = now();
    store
        .record_firings(&[
            firing("a", "s").at(time - 9_000),
            firing("a", "s").at(time - 5_000),
        ])
        .unwrap();
    let last = store.last_firings("s").unwrap();
    assert_eq!(
        (last.len(), &*last[0].hook, last[0].at),
        (1, "a", time - 5_000)
    );
    assert!(store.mark("s", "a").unwrap(), "a mark is no firing");
    let file = HookStore::open(&path);
    assert!(file.last_at_events("claude-code").unwrap().is_empty());
}

#[test]
fn the_latest_firing_of_each_hook() {
    let (_folder, _path, store) = fresh();
    let time = now();
    let at = |hook, ago| firing(hook, "s").at(time - ago);
    let tomorrow = -24 * 60 * 60 * 1000;
    store
        .record_firings(&[
            at("a", 9_000),
            at("b", 8_000),
            at("a", 4_000),
            at("d", tomorrow),
            firing("e", "other"),
        ])
        .unwrap();
    let seen = |all: Vec<hooks_sdk::clients::history::DeliveryReceipt>| -> Vec<(String, i64)> {
        all.into_iter()
            .map(|fired| (fired.hook, time - fired.at))
            .collect()
    };
    assert_eq!(
        seen(store.last_firings("s").unwrap()),
        [("a".into(), 4_000), ("b".into(), 8_000)]
    );
    assert_eq!(
        seen(store.recent_firings("s", time - 8_000).unwrap()),
        [("a".into(), 4_000), ("b".into(), 8_000)]
    );
    assert_eq!(store.recent_firings("s", 0).unwrap().len(), 3);
    assert!(store.recent_firings("", 0).unwrap().is_empty());
}

#[test]
fn words_that_switch_receipts_off() {
    for word in ["off", "OFF", " no ", "false", "0"] {
        assert!(is_off(Some(OsStr::new(word))), "{word}");
    }
    for word in ["", "on", "1", "offer", "🦀"] {
        assert!(!is_off(Some(OsStr::new(word))), "{word}");
    }
    assert!(!is_off(None));
}
