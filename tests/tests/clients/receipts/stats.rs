//! What the receipts say of a history that is made up.

use hooks_sdk::clients::history::{FiringReceipt, HookStats, HookStore};

use super::{firing, fresh};

fn history(store: &HookStore) {
    let gemini = |session: &str, at| {
        FiringReceipt::new("after_commit", session, "gemini", "post_tool_use")
            .characters(7)
            .at(at)
    };
    store
        .record_firings(&[
            firing("after_commit", "one").at(1_000),
            firing("after_commit", "one").at(2_000),
            firing("after_commit", "one").at(3_000),
            firing("after_commit", "two").at(1_000),
            firing("after_commit", "three").at(1_000),
            firing("after_commit", "three").at(1_100).undelivered(),
            // Of two sessions without a name nothing more is known.
            firing("after_commit", "").at(1_000),
            firing("after_commit", "").at(1_000),
            firing("welcome", "two").at(500),
            gemini("four", 1_000),
        ])
        .unwrap();
}

fn line(stats: &HookStats) -> String {
    format!(
        "{}@{}: {} ({}) in {}, {} characters",
        stats.hook, stats.client, stats.fired, stats.delivered, stats.sessions, stats.characters
    )
}

#[test]
fn how_often_each_fired() {
    let (_folder, path, store) = fresh();
    assert!(store.stats(0).unwrap().is_empty());
    assert!(!path.exists());
    history(&store);
    let stats = store.stats(0).unwrap();
    assert_eq!(
        stats.iter().map(line).collect::<Vec<_>>(),
        [
            "after_commit@claude-code: 8 (7) in 3, 700 characters",
            "after_commit@gemini: 1 (1) in 1, 7 characters",
            "welcome@claude-code: 1 (1) in 1, 100 characters",
        ]
    );
    assert_eq!(
        serde_json::to_value(&stats[1]).unwrap(),
        serde_json::json!({
            "hook": "after_commit", "client": "gemini", "fired": 1, "delivered": 1, "sessions": 1,
            "characters": 7, "last": 1_000,
        })
    );
    let later = store.stats(1_500).unwrap();
    assert_eq!(
        later.iter().map(line).collect::<Vec<_>>(),
        ["after_commit@claude-code: 2 (2) in 1, 200 characters"]
    );
}

#[test]
fn digests_count_as_ids_do_and_show_none() {
    let (folder, path, _) = fresh();
    let store = HookStore::open(&path).digests(true);
    history(&store);
    let plain_folder = fresh();
    history(&plain_folder.2);
    assert_eq!(store.stats(0).unwrap(), plain_folder.2.stats(0).unwrap());
    store
        .record_firings(&[firing("a", "7f3a-the-session-id")])
        .unwrap();
    assert!(store.mark("7f3a-the-session-id", "start").unwrap());
    assert_eq!(store.last_firings("7f3a-the-session-id").unwrap().len(), 1);
    drop(store);
    for entry in std::fs::read_dir(folder.path().join("state")).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(8).any(|window| window == b"7f3a-the"));
    }
}

#[test]
fn a_history_of_a_hundred_thousand_is_read() {
    let (_folder, _path, store) = fresh();
    let all: Vec<FiringReceipt> = (0..100_000)
        .map(|number| firing("after_commit", &(number / 100).to_string()).at(number))
        .collect();
    store.record_firings(&all).unwrap();
    let stats = store.stats(0).unwrap();
    assert_eq!((stats[0].fired, stats[0].sessions), (100_000, 1_000));
}
