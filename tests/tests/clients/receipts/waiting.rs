//! Texts that wait for a client's next event: each is sent once, or said to be lost.

use std::thread;

use hooks_sdk::clients::history::{HookStore, Retention, WaitingText, now};

use super::{firing, fresh};

const DAY: i64 = 24 * 60 * 60 * 1000;

fn waiting(hook: &str, session: &str, at: i64, text: &str) -> WaitingText {
    WaitingText::new(session, [hook.to_owned()], at, text)
}

fn take(store: &HookStore, session: &str) -> Vec<String> {
    store.take_waiting(session, |_| true).unwrap()
}

/// How often a hook fired, and how often its text was sent.
fn sent(store: &HookStore, hook: &str) -> (u64, u64) {
    let stats = store.stats(0).unwrap();
    let stats = stats.iter().find(|stats| stats.hook == hook).unwrap();
    (stats.fired, stats.delivered)
}

#[test]
fn a_text_is_taken_once_in_its_session_and_then_counts_as_sent() {
    let (_folder, path, store) = fresh();
    assert!(!store.has_waiting("s").unwrap());
    assert_eq!(take(&store, "s"), Vec::<String>::new());
    assert!(!path.exists(), "looking makes no file");
    let at = now();
    let fired = |hook, at| firing(hook, "s").at(at).undelivered();
    store
        .record_firings(&[fired("a", at), fired("b", at + 1), fired("b", at + 2)])
        .unwrap();
    let texts = [
        waiting("a", "s", at, "one"),
        waiting("b", "s", at + 1, "two"),
    ];
    assert_eq!(store.keep_for_next(&texts).unwrap(), 0);
    // The same again, such as after two calls at once.
    assert_eq!(
        store
            .keep_for_next(&[waiting("b", "s", at + 2, "two")])
            .unwrap(),
        0
    );
    assert_eq!(sent(&store, "a"), (1, 0));
    let next = HookStore::open(&path);
    assert!(next.has_waiting("s").unwrap() && !next.has_waiting("t").unwrap());
    assert_eq!(take(&next, "t"), Vec::<String>::new());
    assert_eq!(take(&next, "s"), ["one", "two"]);
    assert_eq!(take(&next, "s"), Vec::<String>::new());
    assert!(!store.has_waiting("s").unwrap());
    assert_eq!((sent(&store, "a"), sent(&store, "b")), ((1, 1), (2, 1)));
}

#[test]
fn what_does_not_fit_waits_on() {
    let (_folder, _path, store) = fresh();
    let texts = ["one", "a long one", "two"].map(|text| waiting("a", "s", now(), text));
    store.keep_for_next(&texts).unwrap();
    let short = |text: &str| text.len() < 5;
    assert_eq!(store.take_waiting("s", short).unwrap(), ["one"]);
    assert_eq!(take(&store, "s"), ["a long one", "two"]);
}

#[test]
fn what_cannot_wait_is_counted() {
    let (_folder, _path, store) = fresh();
    let at = now();
    let long = "x".repeat(40_001);
    let none = [
        waiting("a", "", at, "x"),
        waiting("a", "s", at, ""),
        waiting("a", "s", at, &long),
    ];
    assert_eq!(store.keep_for_next(&none).unwrap(), 3);
    let many: Vec<_> = (0..20)
        .map(|number| waiting("a", "s", at, &format!("{number}")))
        .collect();
    assert_eq!(store.keep_for_next(&many).unwrap(), 4);
    assert_eq!(store.keep_for_next(&many[..1]).unwrap(), 0);
    assert_eq!(
        store.keep_for_next(&[waiting("a", "t", at, "x")]).unwrap(),
        0
    );
    assert_eq!(take(&store, "s").len(), 16);
    assert_eq!(HookStore::off().keep_for_next(&many).unwrap(), 20);
    assert!(!HookStore::off().has_waiting("s").unwrap());
}

#[test]
fn after_a_day_a_text_is_not_sent_any_more() {
    let (_folder, _path, store) = fresh();
    let late = now() - DAY - 1_000;
    store
        .record_firings(&[firing("a", "s").at(late).undelivered()])
        .unwrap();
    store
        .keep_for_next(&[waiting("a", "s", late, "late")])
        .unwrap();
    assert!(!store.has_waiting("s").unwrap());
    assert_eq!(take(&store, "s"), Vec::<String>::new());
    assert_eq!(sent(&store, "a"), (1, 0));
    store.prune(Retention::default()).unwrap();
    store
        .keep_for_next(&[waiting("a", "s", now(), "new")])
        .unwrap();
    assert_eq!(take(&store, "s"), ["new"]);
}

#[test]
fn of_many_takers_one_gets_it_and_settings_do_not_matter() {
    let (_folder, path, _) = fresh();
    let open = || HookStore::open(&path).receipts(false).digests(true);
    open()
        .keep_for_next(&[waiting("a", "s", now(), "text")])
        .unwrap();
    let taken: usize = thread::scope(|threads| {
        let takers = [(); 8].map(|()| {
            threads.spawn(|| {
                open()
                    .take_waiting("s", |_| true)
                    .map_or(0, |texts| texts.len())
            })
        });
        takers.map(|taker| taker.join().unwrap()).iter().sum()
    });
    assert!(taken <= 1);
    assert_eq!(taken + take(&open(), "s").len(), 1);
}
