//! A file that is locked, damaged, read-only or another's costs the receipt, and never more than a moment.

use std::{
    fs,
    io::{Seek, SeekFrom, Write},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use hooks_sdk::clients::history::{HookStore, HookStoreError};
use rusqlite::Connection;

use super::{fired, firing, fresh};

/// Far above 50 ms, for a machine that has other things to do, and below what SQLite waits by itself.
const GENEROUS: Duration = Duration::from_secs(4);

/// What one event may ask of the store; how many of the calls failed.
fn event(store: &HookStore) -> usize {
    [
        store.recent_firings("s", 0).is_err(),
        store.already_said("s", "start").is_err(),
        store.mark("s", "start").is_err(),
        store.record_firings(&[firing("a", "s")]).is_err(),
        store.claim("s", "start", b"one").is_err(),
        store.last_firings("s").is_err(),
    ]
    .into_iter()
    .map(usize::from)
    .sum()
}

/// The longest time until a call waits again.
const PATIENCE: Duration = Duration::from_secs(60);

fn quickly<T>(work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let done = work();
    assert!(began.elapsed() < GENEROUS, "{:?}", began.elapsed());
    done
}

#[test]
fn another_process_that_writes_is_not_waited_for() {
    let (_folder, path, store) = fresh();
    store.record_firings(&[firing("a", "s")]).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // Reading goes on.
    assert_eq!(store.last_firings("s").unwrap().len(), 1);
    let error = quickly(|| store.record_firings(&[firing("b", "s")])).unwrap_err();
    assert!(matches!(error, HookStoreError::Busy(_)), "{error}");
    // Who has waited once does not wait again at once, and threads wait together.
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| event(&store));
        }
    });
    let waited = began.elapsed();
    assert!(waited < GENEROUS, "{waited:?}");
    assert!(quickly(|| event(&HookStore::open(&path))) > 0);
    other.execute_batch("ROLLBACK").unwrap();
    let until = Instant::now() + PATIENCE;
    while let Err(error) = store.record_firings(&[firing("c", "s")]) {
        assert!(Instant::now() < until, "{error}");
        thread::sleep(Duration::from_millis(20));
    }
    let hooks: Vec<String> = fired(&path).unwrap().into_iter().map(|of| of.0).collect();
    assert_eq!(hooks, ["a", "c"]);
}

#[test]
fn a_file_that_is_locked_whole_fails_every_call() {
    let (_folder, path, store) = fresh();
    store.mark("s", "other").unwrap();
    drop(store);
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM mark;")
        .unwrap();
    let store = HookStore::open(&path);
    assert_eq!(quickly(|| event(&store)), 6);
    let error = store.last_firings("s").unwrap_err().to_string();
    assert!(error.contains("locked by another process"), "{error}");
    assert!(quickly(|| store.sessions(Duration::ZERO)).is_err());
    assert!(quickly(|| store.prune(Default::default())).is_err());
}

#[test]
fn a_damaged_file_is_named_and_a_new_one_made_when_it_is_gone() {
    let (_folder, path, store) = fresh();
    let all: Vec<_> = (0..2_000)
        .map(|number| firing("a", &format!("session {number}")))
        .collect();
    store.record_firings(&all).unwrap();
    store.prune(Default::default()).unwrap();
    drop(store);
    let length = fs::metadata(&path).unwrap().len();
    let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(1024)).unwrap();
    file.write_all(&vec![0xA5; length as usize - 1024]).unwrap();
    drop(file);
    let store = HookStore::open(&path);
    assert!(quickly(|| event(&store)) >= 5);
    let error = store
        .record_firings(&[firing("a", "s")])
        .unwrap_err()
        .to_string();
    assert!(error.contains("hooks.db` is damaged; delete it"), "{error}");
    assert!(store.last_at_events("claude-code").is_err());
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    assert_eq!(event(&store), 0);
}

#[test]
fn a_log_of_nonsense_is_passed_over() {
    let (_folder, path, store) = fresh();
    store.record_firings(&[firing("a", "s")]).unwrap();
    store.prune(Default::default()).unwrap();
    drop(store);
    fs::write(path.with_extension("db-wal"), vec![0x5A; 50_000]).unwrap();
    fs::write(path.with_extension("db-shm"), vec![0x5A; 32_768]).unwrap();
    let store = HookStore::open(&path);
    assert_eq!(store.last_firings("s").unwrap().len(), 1);
    assert_eq!(event(&store), 0);
}

#[test]
fn another_programs_file_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    fs::write(
        &text,
        "long enough not to be taken for an empty file. ".repeat(99),
    )
    .unwrap();
    let theirs = folder.path().join("theirs.db");
    Connection::open(&theirs)
        .unwrap()
        .execute_batch("CREATE TABLE theirs (a)")
        .unwrap();
    for path in [text, theirs] {
        let before = fs::read(&path).unwrap();
        let store = HookStore::open(&path);
        assert_eq!(event(&store), 6);
        let error = store.mark("s", "start").unwrap_err();
        assert!(matches!(error, HookStoreError::Foreign(_)), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_newer_layout_is_left_as_it_is() {
    let (_folder, path, store) = fresh();
    store.mark("s", "start").unwrap();
    drop(store);
    let newer = Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 102).unwrap();
    drop(newer);
    let store = HookStore::open(&path);
    assert_eq!(event(&store), 6);
    let error = store.mark("s", "start").unwrap_err().to_string();
    assert!(
        error.contains("has layout 102, and this program reads layout 101"),
        "{error}"
    );
}

/// Whether the user of this test is kept out by a mode, as root is not.
#[cfg(unix)]
fn is_kept_out(folder: &Path) -> bool {
    fs::write(folder.join("probe"), "").is_err()
}

#[cfg(unix)]
#[test]
fn a_folder_or_file_that_cannot_be_written_fails_every_call() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let locked = folder.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o500)).unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let mut paths = vec![
        file.join("hooks.db"),
        folder.path().to_owned(),
        "/proc/hooks.db".into(),
    ];
    if is_kept_out(&locked) {
        paths.push(locked.join("hooks.db"));
        paths.push(locked.join("further/hooks.db"));
    }
    for path in paths {
        let store = HookStore::open(&path);
        assert_eq!(quickly(|| event(&store)), 6, "{}", path.display());
        let error = store.mark("s", "start").unwrap_err().to_string();
        assert!(error.contains("cannot be used"), "{error}");
        assert!(error.contains("folder are writable"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn the_file_is_its_users_alone() {
    use std::os::unix::fs::PermissionsExt;

    let (folder, path, store) = fresh();
    assert!(!path.exists(), "it is made when it is needed");
    store.mark("s", "start").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder.path().join("state")), 0o700);
    for end in ["db", "db-wal", "db-shm"] {
        assert_eq!(mode(&path.with_extension(end)), 0o600, "{end}");
    }
}

#[test]
fn words_of_any_length_are_taken() {
    let (_folder, path, store) = fresh();
    let long = "🦀\0'\"".repeat(1_000_000);
    store
        .record_firings(&[firing(&long, &long).at(i64::MIN)])
        .unwrap();
    store
        .record_firings(&[firing(&long, &long).at(i64::MAX)])
        .unwrap();
    assert!(store.mark(&long, &long).unwrap());
    assert!(!store.mark(&long, &long).unwrap());
    assert_eq!(store.last_firings(&long).unwrap().len(), 1);
    assert_eq!(fired(&path).unwrap()[0].1, 2);
    store.prune(Default::default()).unwrap();
    assert!(fs::metadata(&path).unwrap().len() < 100_000);
}
