//! Whatever is asked in whatever order, every store answers as a small model does.

use std::{
    collections::{HashMap, HashSet},
    sync::atomic::{AtomicU32, Ordering},
};

use hooks_sdk::store::{
    Bytes, EntryVersion, Key, MemoryStore, PostgresStore, RedisStore, SqliteStore, Store, Swap,
};
use hooks_tests::{postgres::Postgres, redis::Redis};
use proptest::{prelude::*, test_runner::TestRunner};
use tokio::runtime::Runtime;

use super::{LONG, bytes};

const KEYS: usize = 3;

/// Which version a write or a deletion names.
#[derive(Clone, Copy, Debug)]
enum Which {
    None,
    Current,
    First,
    Unknown,
}

#[derive(Clone, Debug)]
enum Act {
    Write(usize, Which, String),
    Delete(usize, Which),
}

fn act() -> impl Strategy<Value = Act> {
    let which = prop_oneof![
        3 => Just(Which::Current),
        2 => Just(Which::None),
        1 => Just(Which::First),
        1 => Just(Which::Unknown),
    ];
    prop_oneof![
        5 => (0..KEYS, which.clone(), ".{0,12}").prop_map(|(key, which, text)| Act::Write(key, which, text)),
        1 => (0..KEYS, which).prop_map(|(key, which)| Act::Delete(key, which)),
    ]
}

#[derive(Default)]
struct Model {
    entries: HashMap<usize, (EntryVersion, Bytes)>,
    first: HashMap<usize, EntryVersion>,
    seen: HashSet<(usize, EntryVersion)>,
}

impl Model {
    fn version(&self, key: usize, which: Which) -> Option<EntryVersion> {
        match which {
            Which::None => None,
            Which::Current => self.entries.get(&key).map(|(version, _)| *version),
            Which::First => self.first.get(&key).copied(),
            Which::Unknown => Some(EntryVersion(u64::MAX >> 1)),
        }
    }

    async fn act(&mut self, store: &impl Store, keys: &[Key; KEYS], act: &Act) {
        match act {
            Act::Write(at, which, text) => {
                let expected = self.version(*at, *which);
                let present = self.entries.get(at).cloned();
                let written = store.compare_and_swap(&keys[*at], expected, bytes(text), LONG);
                match written.await.unwrap() {
                    Swap::Done(version) => {
                        assert_eq!(present.map(|(version, _)| version), expected);
                        assert!(self.seen.insert((*at, version)));
                        self.first.entry(*at).or_insert(version);
                        self.entries.insert(*at, (version, bytes(text)));
                    }
                    Swap::Conflict(found) => {
                        let found = found.map(|found| (found.version, found.bytes));
                        assert_ne!(present.as_ref().map(|(version, _)| *version), expected);
                        assert_eq!(found, present);
                    }
                }
            }
            Act::Delete(at, which) => {
                let version = self.version(*at, *which);
                store.delete(&keys[*at], version).await.unwrap();
                self.entries.retain(|key, (present, _)| {
                    key != at || version.is_some_and(|version| version != *present)
                });
            }
        }
        for (at, key) in keys.iter().enumerate() {
            let found = store.load(key).await.unwrap();
            let found = found.map(|found| (found.version, found.bytes));
            assert_eq!(found.as_ref(), self.entries.get(&at));
        }
    }
}

fn answers_as_the_model(runtime: &Runtime, store: &impl Store) {
    let round = AtomicU32::new(0);
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 40,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let acts = prop::collection::vec(act(), 1..40);
    let run = runner.run(&acts, |acts| {
        let round = round.fetch_add(1, Ordering::Relaxed);
        let keys = [0, 1, 2].map(|at| Key::new(format!("{round} {at}").as_bytes()));
        runtime.block_on(async {
            let mut model = Model::default();
            for act in &acts {
                model.act(store, &keys, act).await;
            }
        });
        Ok(())
    });
    run.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn every_store_answers_as_the_model() {
    let runtime = Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    answers_as_the_model(&runtime, &MemoryStore::new());
    let sqlite = SqliteStore::open(folder.path().join("store.db")).unwrap();
    answers_as_the_model(&runtime, &sqlite);
    if let Some(redis) = Redis::start() {
        let store = runtime.block_on(RedisStore::connect(&redis.url())).unwrap();
        answers_as_the_model(&runtime, &store);
    }
    if let Some(postgres) = Postgres::start() {
        let store = runtime
            .block_on(PostgresStore::connect(&postgres.url()))
            .unwrap();
        answers_as_the_model(&runtime, &store);
    }
}
