//! The file does not grow without end.

use std::{fs, time::Duration};

use hooks_sdk::clients::history::{HookStore, Retention, now};

use super::{fired, firing, fresh};

const DAY: i64 = 24 * 60 * 60 * 1000;

#[test]
fn what_is_old_goes_and_what_is_new_stays() {
    let (_folder, path, store) = fresh();
    let time = now();
    for days in [0, 1, 89, 91, 500] {
        let at = time - days * DAY;
        store
            .record_firings(&[firing("a", "s").at(at), firing("b", "t").at(at)])
            .unwrap();
    }
    store.mark("s", "start").unwrap();
    let pruned = store.prune(Retention::default()).unwrap();
    assert_eq!((pruned.firings, pruned.marks), (4, 0));
    assert_eq!(
        store.prune(Retention::default()).unwrap(),
        Default::default()
    );
    assert_eq!(
        fs::metadata(path.with_extension("db-wal")).unwrap().len(),
        0
    );
    let left: Vec<u64> = fired(&path).unwrap().iter().map(|of| of.1).collect();
    assert_eq!(left, [3, 3]);
    assert!(store.already_said("s", "start").unwrap());
    let pruned = store
        .prune(Retention::new(Duration::ZERO, usize::MAX))
        .unwrap();
    assert!(pruned.firings >= 4, "{pruned:?}");
}

#[test]
fn of_too_many_the_newest_stay() {
    let (_folder, _path, store) = fresh();
    let time = now() - 10_000;
    let all: Vec<_> = (0..2_000)
        .map(|number| firing("a", &(number % 7).to_string()).at(time + number))
        .collect();
    store.record_firings(&all).unwrap();
    let year = Duration::from_secs(365 * 24 * 60 * 60);
    assert_eq!(
        store.prune(Retention::new(year, 1_000)).unwrap().firings,
        1_000
    );
    assert_eq!(store.prune(Retention::new(year, 1_000)).unwrap().firings, 0);
    assert_eq!(store.recent_firings("0", time).unwrap().len(), 143);
    let oldest = store.recent_firings("0", 0).unwrap().pop().unwrap();
    assert!(oldest.at >= time + 1_000);
}

#[test]
fn a_session_goes_on_after_all_of_it_was_pruned() {
    let (_folder, path, store) = fresh();
    store.record_firings(&[firing("a", "s").at(0)]).unwrap();
    store.prune(Retention::default()).unwrap();
    HookStore::open(path)
        .record_firings(&[firing("a", "s")])
        .unwrap();
    assert_eq!(store.last_firings("s").unwrap().len(), 1);
}
