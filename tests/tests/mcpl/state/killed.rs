//! A process that is killed before any write of a commit: the tree has the whole commit afterwards, or nothing of it.

use std::{
    env,
    io::{self, Write},
    path::Path,
    process::{self, Command, Output},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use hooks_sdk::{
    mcpl::{Checkpoints, Given},
    store::{Bytes, EntryVersion, Key, SqliteStore, Store, StoreFuture, Stored, Swap},
};
use serde_json::{Value, json};

use super::{add, empty, notes, roll_back};

/// Where [`the_process`] finds the file, and how many writes it may do.
const FILE: &str = "HOOKS_TESTS_KILLED_FILE";
const WRITES: &str = "HOOKS_TESTS_KILLED_WRITES";

/// A store whose process is killed when it begins one write too many.
struct Deadly {
    store: SqliteStore,
    left: AtomicUsize,
}

impl Deadly {
    fn writes(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 0 {
            let id = process::id().to_string();
            _ = Command::new("kill").args(["-9", &id]).status();
            loop {
                thread::park();
            }
        }
    }
}

impl Store for Deadly {
    fn load<'a>(&'a self, key: &'a Key) -> StoreFuture<'a, Option<Stored>> {
        self.store.load(key)
    }

    fn compare_and_swap<'a>(
        &'a self,
        key: &'a Key,
        expected: Option<EntryVersion>,
        bytes: Bytes,
        ttl: Duration,
    ) -> StoreFuture<'a, Swap> {
        self.writes();
        self.store.compare_and_swap(key, expected, bytes, ttl)
    }

    fn delete<'a>(&'a self, key: &'a Key, version: Option<EntryVersion>) -> StoreFuture<'a, ()> {
        self.writes();
        self.store.delete(key, version)
    }
}

fn open(store: impl Store) -> Checkpoints<Value> {
    Checkpoints::in_store(store, "notes", empty())
        .keep(2)
        .refuse_unknown()
}

/// Commits three notes, goes back by one, and says what it did as soon as that is done.
#[tokio::test]
async fn the_process() {
    let (Some(file), Some(writes)) = (env::var_os(FILE), env::var(WRITES).ok()) else {
        return;
    };
    let store = SqliteStore::open(file).unwrap();
    let left = AtomicUsize::new(writes.parse().unwrap());
    let tree = open(Deadly { store, left });
    let mut before = String::new();
    for text in ["a", "b", "c"] {
        let head = tree.head().await.unwrap();
        let update = add(&tree, &Given::nothing(), text).await;
        before = head.unwrap_or_default();
        writeln!(io::stdout(), "done: {}", update.checkpoint).unwrap();
    }
    roll_back(&tree, &before).await.unwrap();
    writeln!(io::stdout(), "done: {before}").unwrap();
}

fn run(file: &Path, writes: usize) -> Output {
    let process = Command::new(env::current_exe().unwrap())
        .args(["--exact", "state::killed::the_process", "--nocapture"])
        .env(FILE, file)
        .env(WRITES, writes.to_string())
        .output();
    process.unwrap()
}

#[tokio::test]
async fn no_commit_is_kept_by_half_wherever_the_process_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    for writes in 0.. {
        let file = folder.path().join(format!("{writes}.db"));
        let ran = run(&file, writes);
        let said = String::from_utf8(ran.stdout).unwrap();
        let done: Vec<&str> = said
            .split("done: ")
            .skip(1)
            .filter_map(|line| line.lines().next())
            .collect();
        let tree = open(SqliteStore::open(&file).unwrap());
        let head = tree.head().await.unwrap();
        let texts = json!(["a", "b", "c"]);
        let is = notes(&tree, &Given::nothing()).await;
        let kept = is.as_array().unwrap().len();
        assert_eq!(
            is.as_array().unwrap()[..],
            texts.as_array().unwrap()[..kept],
            "{writes}"
        );
        if ran.status.success() {
            assert_eq!((done.len(), head.as_deref(), kept), (4, Some(done[1]), 2));
            assert!(writes >= 8, "each of the writes was one to be killed at");
            return;
        }
        // The step that was going on is done, or it is not.
        let steps: &[usize] = match done.len() {
            commits @ 0..=2 => &[commits, commits + 1],
            _ => &[3, 2],
        };
        assert!(steps.contains(&kept), "{writes}: {said} {is}");
        assert_eq!(head.is_some(), kept > 0, "{writes}");
        if kept == done.len() {
            assert_eq!(head.as_deref(), done.last().copied(), "{writes}");
        }
        // What the host was told of last is there, and work goes on.
        if let Some(told) = done.last() {
            assert!(tree.at(&Given::checkpoint(*told)).await.is_ok(), "{writes}");
        }
        let next = add(&tree, &Given::nothing(), "d").await;
        assert_eq!(next.parent, head, "{writes}");
        assert_eq!(
            tree.head().await.unwrap(),
            Some(next.checkpoint),
            "{writes}"
        );
    }
}
