//! Many threads and processes at once: nothing is lost that was said to be written, and one alone sets a mark.

use std::{
    collections::BTreeMap,
    env,
    io::{self, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use hooks_sdk::clients::history::{HookStore, HookStoreError};

use super::{fired, firing, fresh};

const FILE: &str = "RECEIPTS_TEST_FILE";
const EACH: usize = 25;
const FIRINGS: usize = 10_000;

/// This program again, running only [`a_process_of_its_own`].
fn start(path: &Path, number: usize) -> Child {
    start_test("a_process_of_its_own", path, number)
}

fn start_test(test: &str, path: &Path, number: usize) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", &format!("receipts::processes::{test}")])
        .args(["--nocapture", "--test-threads=1"])
        .env(FILE, path)
        .env("RECEIPTS_TEST_NUMBER", number.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Does nothing but in a process that [`start`] made.
#[test]
fn a_process_of_its_own() {
    let (Some(path), Ok(number)) = (env::var_os(FILE), env::var("RECEIPTS_TEST_NUMBER")) else {
        return;
    };
    for round in 0..EACH {
        // Each round is a process as far as the store can tell: it opens the file anew.
        let store = HookStore::open(&path);
        patiently(|| store.record_firings(&[firing("a", &number), firing("b", "all")]));
        if patiently(|| store.mark("all", &round.to_string())) {
            patiently(|| store.record_firings(&[firing("set", &format!("round {round}"))]));
        }
    }
}

/// On a machine with more to do than this a process may wait for longer than the store does.
fn patiently<T>(mut work: impl FnMut() -> Result<T, HookStoreError>) -> T {
    for _ in 0..100 {
        match work() {
            Ok(done) => return done,
            Err(HookStoreError::Busy(_)) => thread::sleep(Duration::from_millis(100)),
            Err(other) => panic!("{other}"),
        }
    }
    panic!("busy for 10 s")
}

#[test]
fn processes_that_start_at_once_share_a_file_that_was_not_there() {
    let (_folder, path, _store) = fresh();
    let children: Vec<Child> = (0..4).map(|number| start(&path, number)).collect();
    for child in children {
        let done = child.wait_with_output().unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }
    let each = EACH as u64;
    assert_eq!(
        fired(&path).unwrap(),
        [
            ("a".to_owned(), 4 * each, 4),
            ("b".to_owned(), 4 * each, 1),
            ("set".to_owned(), each, each)
        ]
    );
}

#[test]
fn a_process_that_is_killed_leaves_a_sound_file() {
    let (_folder, path, store) = fresh();
    for number in 0..10 {
        let mut child = start(&path, number);
        thread::sleep(Duration::from_millis(10 + 5 * number as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        // The dead hold no lock, and of one event either everything was entered or nothing.
        patiently(|| store.record_firings(&[firing("alive", "s")]));
        let all = fired(&path).unwrap();
        let times = |hook| all.iter().find(|of| of.0 == hook).map_or(0, |of| of.1);
        assert_eq!(times("a"), times("b"));
        assert_eq!(times("alive"), number as u64 + 1);
    }
}

#[test]
fn of_no_session_everybody_is_the_first() {
    let (_folder, _path, store) = fresh();
    assert!(store.mark("", "start").unwrap() && store.mark("", "start").unwrap());
    assert!(!store.already_said("", "start").unwrap());
}

#[test]
fn the_log_stays_short_without_a_server() {
    let (_folder, path, _) = fresh();
    let log = path.with_extension("db-wal");
    let mut longest = 0;
    for number in 0..600 {
        let store = HookStore::open(&path);
        store
            .record_firings(&[firing("a", &(number / 50).to_string())])
            .unwrap();
        drop(store);
        longest = longest.max(std::fs::metadata(&log).map_or(0, |log| log.len()));
    }
    assert!(longest > 0, "there is no checkpoint on the way out");
    assert!(longest < 400_000, "{longest}");
    assert_eq!(fired(&path).unwrap(), [("a".to_owned(), 600, 12)]);
}

/// Does nothing but in a process that [`start_test`] made.
#[test]
fn a_process_that_claims() {
    let Some(path) = env::var_os(FILE) else {
        return;
    };
    let store = HookStore::open(path);
    for firing in 0..FIRINGS {
        let session = (firing / 200).to_string();
        let firing = firing.to_string();
        if patiently(|| store.claim(&session, "stop", firing.as_bytes())) {
            writeln!(io::stdout(), "claimed {firing}").unwrap();
        }
    }
}

#[test]
fn each_firing_is_claimed_by_one_process() {
    let (_folder, path, _store) = fresh();
    let started = [0, 1].map(|number| start_test("a_process_that_claims", &path, number));
    let mut claims = BTreeMap::new();
    for child in started {
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success());
        let said = String::from_utf8(done.stdout).unwrap();
        for firing in said.lines().filter_map(|line| line.split_once("claimed ")) {
            *claims.entry(firing.1.to_owned()).or_insert(0) += 1;
        }
    }
    let twice: Vec<_> = claims.iter().filter(|(_, count)| **count > 1).collect();
    assert_eq!((claims.len(), twice), (FIRINGS, Vec::new()));
}
