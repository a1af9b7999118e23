//! What the receipts say of a history that is made up.

use std::collections::BTreeMap;

use hooks_sdk::clients::history::{CallReceipt, FiringReceipt, HookStats, HookStore};

use super::{firing, fresh};

fn call(tool: &str, session: &str, at: i64) -> CallReceipt {
    CallReceipt::new(tool, session, "claude-code").at(at)
}

fn asks() -> BTreeMap<String, Vec<String>> {
    let asks: [(&str, &[&str]); 3] = [
        ("after_commit", &["save", "note"]),
        ("welcome", &[]),
        ("never_fired", &["save"]),
    ];
    asks.map(|(hook, tools)| (hook.into(), tools.iter().map(|&tool| tool.into()).collect()))
        .into()
}

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
    let calls = [
        // Both firings before it were followed, the third was not.
        call("save", "one", 2_500),
        call("search", "one", 4_000),
        // A call before the firing, or beside it, follows nothing.
        call("save", "two", 900),
        call("save", "two", 1_000),
        call("note", "three", 9_000).failed(),
        call("note", "five", 9_000),
        call("save", "", 9_000),
    ];
    for call in calls {
        store.record_call(&call).unwrap();
    }
}

fn line(stats: &HookStats) -> String {
    let followed = stats.followed.as_ref().map_or("-".into(), |followed| {
        format!(
            "{} in {} by {}",
            followed.firings,
            followed.sessions,
            followed.tools.join("|")
        )
    });
    format!(
        "{}@{}: {} ({}) in {}, {} characters, followed {followed}",
        stats.hook, stats.client, stats.fired, stats.delivered, stats.sessions, stats.characters
    )
}

#[test]
fn how_often_each_fired_and_was_followed() {
    let (_folder, path, store) = fresh();
    assert!(store.stats(0, &asks()).unwrap().is_empty());
    assert!(!path.exists());
    history(&store);
    let stats = store.stats(0, &asks()).unwrap();
    assert_eq!(
        stats.iter().map(line).collect::<Vec<_>>(),
        [
            "after_commit@claude-code: 8 (7) in 3, 700 characters, followed 3 in 2 by save|note",
            "after_commit@gemini: 1 (1) in 1, 7 characters, followed 0 in 0 by save|note",
            "welcome@claude-code: 1 (1) in 1, 100 characters, followed -",
        ]
    );
    assert_eq!(
        serde_json::to_value(&stats[1]).unwrap(),
        serde_json::json!({
            "hook": "after_commit", "client": "gemini", "fired": 1, "delivered": 1, "sessions": 1,
            "characters": 7, "last": 1_000,
            "followed": { "tools": ["save", "note"], "firings": 0, "sessions": 0 },
        })
    );
    let later = store.stats(1_500, &asks()).unwrap();
    assert_eq!(
        later.iter().map(line).collect::<Vec<_>>(),
        ["after_commit@claude-code: 2 (2) in 1, 200 characters, followed 1 in 1 by save|note"]
    );
}

#[test]
fn what_a_text_asked_for_when_it_fired_is_kept_by_hook() {
    let (_folder, path, store) = fresh();
    assert!(store.asks().unwrap().is_empty());
    assert!(!path.exists());
    let tools = |names: &[&str]| -> Vec<String> { names.iter().map(|&name| name.into()).collect() };
    store.record_asks("recent_work", &tools(&[])).unwrap();
    store
        .record_asks("recent_work", &tools(&["read", "list all"]))
        .unwrap();
    store.record_asks("recent_work", &tools(&["read"])).unwrap();
    store.record_asks("other", &tools(&["save"])).unwrap();
    let asks = store.asks().unwrap();
    assert_eq!(asks["recent_work"], tools(&["list all", "read"]));
    assert_eq!(asks["other"], tools(&["save"]));
    assert_eq!(asks.len(), 2);
    // It is no firing, and no mark of a session.
    assert!(store.stats(0, &asks).unwrap().is_empty());
    let off = HookStore::open(&path).receipts(false);
    off.record_asks("third", &tools(&["save"])).unwrap();
    assert_eq!(store.asks().unwrap().len(), 2);
}

#[test]
fn digests_count_as_ids_do_and_show_none() {
    let (folder, path, _) = fresh();
    let store = HookStore::open(&path).digests(true);
    history(&store);
    let plain_folder = fresh();
    history(&plain_folder.2);
    assert_eq!(
        store.stats(0, &asks()).unwrap(),
        plain_folder.2.stats(0, &asks()).unwrap()
    );
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
    for session in 0..500 {
        store
            .record_call(&call("save", &session.to_string(), 1_000_000))
            .unwrap();
    }
    let stats = store.stats(0, &asks()).unwrap();
    let followed = stats[0].followed.as_ref().unwrap();
    assert_eq!((followed.firings, followed.sessions), (50_000, 500));
}
