//! A process that is killed before any write of a commit: the tree has the whole commit afterwards, or nothing of it.

use std::{
    env,
    io::{self, Write},
    process::{self, Command, Output},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use hooks_sdk::{
    mcpl::{Checkpoints, Given},
    store::{
        Bytes, EntryVersion, Key, PostgresStore, RedisStore, SqliteStore, Store, StoreFuture,
        Stored, Swap,
    },
};
use hooks_tests::{postgres::Postgres, redis::Redis};
use serde_json::{Value, json};

use super::{add, empty, notes, roll_back};

/// Where [`the_process`] finds the store, and how many writes it may do.
const PLACE: &str = "HOOKS_TESTS_KILLED_PLACE";
const WRITES: &str = "HOOKS_TESTS_KILLED_WRITES";

/// A store whose process is killed when it begins one write too many.
struct Deadly {
    store: Arc<dyn Store>,
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

/// Connects to the store at a URL, or opens the file.
async fn connect(place: &str) -> Arc<dyn Store> {
    if place.starts_with("redis") {
        Arc::new(RedisStore::connect(place).await.unwrap())
    } else if place.starts_with("postgres") {
        Arc::new(PostgresStore::connect(place).await.unwrap())
    } else {
        Arc::new(SqliteStore::open(place).unwrap())
    }
}

/// Opens the tree of a process that may do so many writes.
fn open(store: impl Store, writes: usize) -> Checkpoints<Value> {
    Checkpoints::in_store(store, format!("notes-{writes}"), empty())
        .keep(2)
        .refuse_unknown()
}

/// Commits three notes, goes back by one, and says what it did as soon as that is done.
#[tokio::test]
async fn the_process() {
    let (Ok(place), Ok(writes)) = (env::var(PLACE), env::var(WRITES)) else {
        return;
    };
    let (store, writes) = (connect(&place).await, writes.parse().unwrap());
    let left = AtomicUsize::new(writes);
    let tree = open(Deadly { store, left }, writes);
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

fn run(place: &str, writes: usize) -> Output {
    let process = Command::new(env::current_exe().unwrap())
        .args(["--exact", "state::killed::the_process", "--nocapture"])
        .env(PLACE, place)
        .env(WRITES, writes.to_string())
        .output();
    process.unwrap()
}

#[tokio::test]
async fn no_commit_is_kept_by_half_wherever_the_process_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    killed_before_each_write(folder.path().join("state.db").to_str().unwrap()).await;
}

#[tokio::test]
async fn no_commit_in_redis_is_kept_by_half_wherever_the_process_is_killed() {
    if let Some(redis) = Redis::start() {
        killed_before_each_write(&redis.url()).await;
    }
}

#[tokio::test]
async fn no_commit_in_postgres_is_kept_by_half_wherever_the_process_is_killed() {
    if let Some(postgres) = Postgres::start() {
        killed_before_each_write(&postgres.url()).await;
    }
}

async fn killed_before_each_write(place: &str) {
    for writes in 0.. {
        let ran = run(place, writes);
        let said = String::from_utf8(ran.stdout).unwrap();
        let done: Vec<&str> = said
            .split("done: ")
            .skip(1)
            .filter_map(|line| line.lines().next())
            .collect();
        let tree = open(connect(place).await, writes);
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
