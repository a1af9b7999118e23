//! A SQLite file in trouble gives a clear answer, loses nothing, and the server lives on.

use std::{fs, path::Path, time::Duration};

use crate::peer::Peer;
use memory_server::{
    Memory,
    store::{Draft, Options, Query, Store, Trouble},
};
use rusqlite::Connection;
use serde_json::{Value, json};

fn quick() -> Options {
    let mut options = Options::default();
    options.busy_timeout = Duration::from_millis(100);
    options
}

fn memory(content: &str) -> Value {
    json!({ "project": "p", "content": content, "tags": [] })
}

async fn count(path: &Path) -> u64 {
    let store = Store::open(path, quick()).unwrap();
    store.status().await.unwrap().memories
}

#[tokio::test]
async fn the_servers_own_connection_syncs_every_commit() {
    let folder = tempfile::tempdir().unwrap();
    // Folders that are missing are made.
    let path = folder.path().join("a/b/memory.db");
    let store = Store::open(&path, Options::default()).unwrap();
    let status = store.status().await.unwrap();
    assert_eq!((&*status.journal_mode, status.synchronous), ("wal", 2));
    assert_eq!(status.database, path);
}

#[tokio::test]
async fn a_locked_database_is_reported_and_used_again_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let peer = Peer::over(Memory::new(Store::open(&path, quick()).unwrap())).await;
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answer = peer.call("store_memory", memory("waiting")).await;
    answer.refuses("memory.db` is locked by another process", "call again");
    // Readers are not stopped by a writer.
    let found = json!({ "project": "p", "query": "waiting" });
    assert!(!peer.call("search_memories", found).await.is_error);
    other.execute_batch("ROLLBACK").unwrap();
    peer.call("store_memory", memory("waiting")).await.id();
    assert_eq!(count(&path).await, 1);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_left_alone_and_its_replacement_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    fs::write(&path, "this is a letter, not a database ".repeat(200)).unwrap();
    let before = fs::read(&path).unwrap();
    let refused = Store::open(&path, quick()).unwrap_err();
    assert_eq!(refused.trouble(), Some(Trouble::Corrupt));

    let peer = Peer::met(Memory::new(Store::deferred(&path, quick()))).await;
    let answer = peer.call("session_init", json!({})).await;
    answer.refuses(
        "memory.db` is damaged or not a database",
        "move the file away",
    );
    assert_eq!(fs::read(&path).unwrap(), before);

    fs::remove_file(&path).unwrap();
    let opened = peer.call("session_init", json!({})).await;
    assert!(!opened.is_error, "{}", opened.text);
    peer.call("store_memory", memory("hello")).await.id();
}

#[tokio::test]
async fn a_full_disk_loses_nothing_that_was_answered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let mut small = quick();
    small.max_pages = Some(60);
    let peer = Peer::over(Memory::new(Store::open(&path, small).unwrap())).await;
    let mut stored = 0;
    let full = loop {
        let text: String = (0..300)
            .map(|n| format!("w{} ", stored * 1000 + n))
            .collect();
        let answer = peer.call("store_memory", memory(&text)).await;
        if answer.is_error {
            break answer;
        }
        stored += 1;
    };
    full.refuses(
        "there is no room left for the memory database",
        "free some space",
    );
    assert!(stored > 0);

    let answer = peer
        .call("search_memories", json!({ "project": "p", "query": "w1" }))
        .await;
    assert!(!answer.is_error, "{}", answer.text);
    drop(peer);
    assert_eq!(count(&path).await, stored);
}

#[tokio::test]
async fn a_newer_database_and_one_of_another_program_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let newer = folder.path().join("newer.db");
    drop(Store::open(&newer, quick()).unwrap());
    let raw = Connection::open(&newer).unwrap();
    raw.pragma_update(None, "user_version", 99).unwrap();
    let refused = Store::open(&newer, quick()).unwrap_err();
    assert_eq!(refused.trouble(), Some(Trouble::TooNew));
    assert!(refused.to_string().contains("update memory-server"));

    let foreign = folder.path().join("foreign.db");
    let raw = Connection::open(&foreign).unwrap();
    raw.execute_batch("CREATE TABLE cookies (name TEXT)")
        .unwrap();
    let refused = Store::open(&foreign, quick()).unwrap_err();
    assert_eq!(refused.trouble(), Some(Trouble::Foreign));
}

#[tokio::test]
async fn what_was_learned_before_conversations_were_kept_apart_is_for_its_own_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let raw = Connection::open(&path).unwrap();
    raw.execute_batch(include_str!("../../src/store/schema_1.sql"))
        .unwrap();
    raw.execute_batch(include_str!("../../src/store/schema_2.sql"))
        .unwrap();
    raw.execute_batch(
        "PRAGMA application_id = 0x6d656d73; PRAGMA user_version = 2;
         INSERT INTO memory (id, project, created_at, updated_at, fingerprint, source, tags, content) VALUES
            ('a', 'conversations', 1, 1, 0, 'conversation dm:alice', '[]', 'The zither is a present'),
            ('ab', 'conversations', 1, 1, 0, 'conversation dm:alice; conversation dm:bob', '[]', 'Zither strings'),
            ('own', 'conversations', 1, 1, 0, 'a.rs', '[]', 'Zither talk is stored on purpose'),
            ('shop', 'shop', 1, 1, 0, 'conversation with Kim', '[]', 'The shop sells a zither');
         UPDATE memory SET superseded_by = 'shop' WHERE id = 'own';
         UPDATE memory SET superseded_by = NULL WHERE id = 'own';
         DELETE FROM memory WHERE id = 'none';",
    )
    .unwrap();
    drop(raw);
    let store = Store::open(&path, quick()).unwrap();
    let status = store.status().await.unwrap();
    assert_eq!((status.schema, status.memories, status.projects), (4, 4, 2));
    for (conversation, expected) in [
        (Some("dm:alice"), &["a", "own", "shop"][..]),
        (Some("dm:bob"), &["own", "shop"]),
        (None, &["own", "shop"]),
    ] {
        let found = store.recall(conversation, "the zither", 9).await.unwrap();
        let mut ids: Vec<&str> = found.iter().map(|record| &*record.id).collect();
        ids.sort_unstable();
        assert_eq!(ids, expected, "{conversation:?}");
    }
    let found = store
        .search(Query::new("conversations", "zither"))
        .await
        .unwrap();
    assert_eq!(found.hits.len(), 1);
    // Nobody owned a reminder then: it is for hosts of a server that tells no users apart.
    let at = "2999-01-01T00:00:00Z";
    store.remind("", "shop", "follow up", at).await.unwrap();
    for (owner, count) in [("host:h", 1), ("host:h#kim", 0)] {
        let reminders = store.reminders(owner, "shop").await.unwrap();
        assert_eq!(reminders.len(), count, "{owner}");
    }
    // The search index goes on with the new table.
    store.delete("shop", "shop").await.unwrap();
    store
        .store("shop", Draft::new("Another zither"))
        .await
        .unwrap();
    let found = store.search(Query::new("shop", "zither")).await.unwrap();
    assert_eq!(found.hits.len(), 1);
    assert_eq!(found.hits[0].record.content, "Another zither");
}

#[tokio::test]
async fn two_servers_share_one_file_from_its_first_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let openers: Vec<_> = (0..8)
        .map(|_| {
            let path = path.clone();
            std::thread::spawn(move || Store::open(path, Options::default()).unwrap())
        })
        .collect();
    let stores: Vec<Store> = openers.into_iter().map(|o| o.join().unwrap()).collect();
    for (n, store) in stores.iter().enumerate() {
        store
            .store("p", Draft::new(format!("from{n} x{n}")))
            .await
            .unwrap();
    }
    let found = stores[0]
        .search(Query {
            limit: 50,
            ..Query::new("p", "")
        })
        .await
        .unwrap();
    assert_eq!(found.hits.len(), 8);
}
