//! What every store promises, as one check for the authors of stores.

use std::{collections::HashSet, panic::resume_unwind, sync::Arc, time::Duration};

use futures::future::join_all;

use hooks_core::store::{Bytes, EntryVersion, Key, LARGEST_VALUE, Store, StoreError, Stored, Swap};

/// A time to live that does not end during the check.
const LONG: Duration = Duration::from_secs(600);

/// A time to live that the check waits for.
const SHORT: Duration = Duration::from_millis(600);

/// The number of writers that write at once, and the number of rounds.
const WRITERS: usize = 64;
const ROUNDS: u64 = 8;

/// Checks that a store keeps every promise of [`Store`]'s documentation except that of its capacity.
///
/// The check takes a few seconds, because it waits for entries to expire, and it needs tokio's real clock. It draws its
/// keys, so that it can run again on one database; it leaves entries behind that expire within ten minutes.
///
/// ```
/// use hooks_sdk::store::MemoryStore;
/// use hooks_sdk::testing::store_contract;
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// # runtime.block_on(async {
/// store_contract(MemoryStore::new()).await;
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Panics
///
/// The store breaks a promise: the message names it. Or the store returns an error.
pub async fn store_contract(store: impl Store) {
    let check = StoreCheck {
        store: Arc::new(store),
    };
    check.writes().await;
    check.versions().await;
    check.values().await;
    check.keys().await;
    check.times().await;
    check.writers().await;
}

#[derive(Clone)]
struct StoreCheck {
    store: Arc<dyn Store>,
}

impl StoreCheck {
    async fn load(&self, key: &Key) -> Option<Stored> {
        let found = self.store.load(key).await;
        found.unwrap_or_else(|error| panic!("`load` failed: {error}"))
    }

    async fn swap(
        &self,
        key: &Key,
        expected: Option<EntryVersion>,
        value: &[u8],
        ttl: Duration,
    ) -> Swap {
        let written = self
            .store
            .compare_and_swap(key, expected, bytes(value), ttl)
            .await;
        written.unwrap_or_else(|error| panic!("`compare_and_swap` failed: {error}"))
    }

    async fn write(
        &self,
        key: &Key,
        expected: Option<EntryVersion>,
        value: &[u8],
        ttl: Duration,
    ) -> EntryVersion {
        match self.swap(key, expected, value, ttl).await {
            Swap::Done(version) => version,
            Swap::Conflict(found) => panic!(
                "a write that names the current version is done, but the store reported a conflict with {found:?}"
            ),
        }
    }

    async fn refuse(&self, key: &Key, expected: Option<EntryVersion>, why: &str) -> Option<Stored> {
        match self.swap(key, expected, b"refused", LONG).await {
            Swap::Conflict(found) => found,
            Swap::Done(_) => panic!("{why}, but the store did"),
        }
    }

    async fn delete(&self, key: &Key, version: Option<EntryVersion>) {
        let deleted = self.store.delete(key, version).await;
        deleted.unwrap_or_else(|error| panic!("`delete` failed: {error}"));
    }

    async fn writes(&self) {
        let key = drawn_key();
        let none = self.load(&key).await;
        assert!(
            none.is_none(),
            "a key that was never written has no entry, but `load` returned {none:?}"
        );
        let why = "a write that expects a version must not be done where there is no entry";
        let found = self.refuse(&key, Some(EntryVersion(1)), why).await;
        assert!(
            found.is_none(),
            "a conflict without a live entry reports none, but it reported {found:?}"
        );
        let first = self.write(&key, None, b"first", LONG).await;
        let found = self.load(&key).await;
        let found = found.expect("an entry that was written is found, but `load` returned none");
        assert_eq!(
            (&found.bytes, found.version),
            (&bytes(b"first"), first),
            "`load` returns the value and the version of the last write"
        );
        assert!(
            found.left <= LONG && found.left > LONG / 2,
            "`left` is the time until the entry expires, of {LONG:?}, but it is {:?}",
            found.left
        );
        let why = "a write that expects no entry must not replace a live one";
        self.refuse(&key, None, why).await;
        let second = self.write(&key, Some(first), b"second", LONG).await;
        let why = "a write that expects an older version must not be done";
        let conflict = self.refuse(&key, Some(first), why).await;
        let conflict = conflict.expect("a conflict reports the live entry, but it reported none");
        assert_eq!(
            (&conflict.bytes, conflict.version),
            (&bytes(b"second"), second),
            "a conflict reports the live entry"
        );
        let kept = self.load(&key).await.map(|found| found.bytes);
        assert_eq!(
            kept,
            Some(bytes(b"second")),
            "a write that is refused changes nothing"
        );
    }

    async fn versions(&self) {
        let key = drawn_key();
        let mut seen = HashSet::new();
        for round in 0..8 {
            let new = self.write(&key, None, b"new", LONG).await;
            let next = self.write(&key, Some(new), b"next", LONG).await;
            for version in [new, next] {
                assert!(
                    seen.insert(version),
                    "a key never has one version twice, but it had {version:?} again after a delete"
                );
            }
            self.delete(&key, Some(new)).await;
            assert!(
                self.load(&key).await.is_some(),
                "`delete` with a version deletes nothing if the entry has another one"
            );
            let version = (round % 2 == 0).then_some(next);
            self.delete(&key, version).await;
            let found = self.load(&key).await;
            assert!(
                found.is_none(),
                "`delete` with {version:?} deletes the entry, but `load` returned {found:?}"
            );
            let why = "a write that expects a deleted version must not be done";
            self.refuse(&key, Some(next), why).await;
            self.delete(&key, version).await;
        }
    }

    async fn values(&self) {
        let key = drawn_key();
        let all: Vec<u8> = (0..=255).cycle().take(LARGEST_VALUE + 1).collect();
        let mut version = None;
        for len in [0, 1, 22, 23, 256, 70_000, LARGEST_VALUE] {
            let value = &all[..len];
            version = Some(self.write(&key, version, value, LONG).await);
            let found = self.load(&key).await.map(|found| found.bytes);
            assert!(
                found.is_some_and(|found| found.as_slice() == value),
                "a value comes back as it was written, but one of {len} bytes did not"
            );
        }
        let large = self
            .store
            .compare_and_swap(&key, version, bytes(&all), LONG);
        let large = large.await;
        assert!(
            matches!(large, Err(StoreError::TooLarge(len)) if len == all.len()),
            "a value of more than {LARGEST_VALUE} bytes is refused with `TooLarge`, but the store returned {large:?}"
        );
        self.delete(&key, None).await;
    }

    async fn keys(&self) {
        let drawn = drawn_key();
        let drawn = drawn.as_slice();
        let mut keys: Vec<Vec<u8>> = [0, 1, 6, 7, 1000]
            .map(|zeros| [drawn, &vec![0; zeros]].concat())
            .into();
        keys.extend(
            [b"%" as &[u8], b"\xFF\xFE", b"{}", b"*", b"'\"\r\n"].map(|end| [drawn, end].concat()),
        );
        for (number, key) in keys.iter().enumerate() {
            let number = number.to_be_bytes();
            self.write(&Key::new(key), None, &number, LONG).await;
        }
        for (number, key) in keys.iter().enumerate() {
            let found = self.load(&Key::new(key)).await.map(|found| found.bytes);
            assert_eq!(
                found,
                Some(bytes(&number.to_be_bytes())),
                "keys are bytes of any value and length, and different keys have different entries, but `{}` has \
                 another one's",
                key.escape_ascii()
            );
        }
    }

    async fn times(&self) {
        let (ends, renewed) = (drawn_key(), drawn_key());
        let old = self.write(&ends, None, b"ends", SHORT).await;
        let version = self.write(&renewed, None, b"renewed", SHORT).await;
        self.write(&renewed, Some(version), b"renewed", LONG).await;
        let found = self.load(&ends).await.map(|found| found.left);
        assert!(
            found.is_none_or(|left| left <= SHORT),
            "`left` is at most the time to live of the last write, {SHORT:?}, but it is {found:?}"
        );
        tokio::time::sleep(SHORT + SHORT / 2).await;
        let found = self.load(&ends).await;
        assert!(
            found.is_none(),
            "an expired entry counts as absent, but `load` returned {found:?}"
        );
        let why = "a write that expects the version of an expired entry must not be done";
        let found = self.refuse(&ends, Some(old), why).await;
        assert!(
            found.is_none(),
            "a conflict reports no expired entry, but it reported {found:?}"
        );
        let new = self.write(&ends, None, b"new", LONG).await;
        assert_ne!(
            new, old,
            "a key never has one version twice, not even after its entry has expired"
        );
        assert!(
            self.load(&renewed).await.is_some(),
            "a write gives the entry its time to live anew, but the entry expired with the time of the write before"
        );
    }

    /// Writers that count up together: of those that name one version, one wins.
    async fn writers(&self) {
        let key = drawn_key();
        let mut version = None;
        for round in 1..=ROUNDS {
            let names: Vec<[u8; 16]> = (0..WRITERS as u64)
                .map(|writer| (u128::from(writer) << 64 | u128::from(round)).to_be_bytes())
                .collect();
            let writes = names.iter().map(|name| {
                let (check, key, name) = (self.clone(), key.clone(), *name);
                async move { check.swap(&key, version, &name, LONG).await }
            });
            let done: Vec<(EntryVersion, &[u8; 16])> = together(writes)
                .await
                .into_iter()
                .zip(&names)
                .filter_map(|(swap, name)| match swap {
                    Swap::Done(version) => Some((version, name)),
                    Swap::Conflict(_) => None,
                })
                .collect();
            let &[(won, name)] = &done[..] else {
                panic!(
                    "of {WRITERS} writers that name one version at once, exactly one is done, but {} were",
                    done.len()
                );
            };
            let found = self.load(&key).await.expect("the entry was just written");
            assert_eq!(
                (found.version, &found.bytes),
                (won, &bytes(name)),
                "the entry is the one of the writer whose write was done"
            );
            version = Some(won);
        }
        self.count_up().await;
    }

    async fn count_up(&self) {
        let key = drawn_key();
        let counts = (0..WRITERS).map(|_| {
            let (check, key) = (self.clone(), key.clone());
            async move {
                let mut found = check.load(&key).await;
                loop {
                    let count = found.as_ref().map_or(0, count_of);
                    let expected = found.map(|found| found.version);
                    let next = (count + 1).to_be_bytes();
                    match check.swap(&key, expected, &next, LONG).await {
                        Swap::Done(_) => return,
                        Swap::Conflict(present) => found = present,
                    }
                }
            }
        });
        together(counts).await;
        let found = self.load(&key).await;
        assert_eq!(
            found.as_ref().map(count_of),
            Some(WRITERS as u64),
            "no write is lost: {WRITERS} writers each counted up by one"
        );
    }
}

fn count_of(stored: &Stored) -> u64 {
    let bytes = stored.bytes.as_slice().try_into();
    u64::from_be_bytes(bytes.expect("a value comes back as it was written"))
}

/// Draws a key, so that a check meets nothing of an earlier one.
fn drawn_key() -> Key {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has random bytes");
    Key::new(&bytes)
}

fn bytes(of: &[u8]) -> Bytes {
    Bytes::from(of)
}

/// Runs all at once, on the runtime's threads. Panics as the first of them that does.
async fn together<F>(all: impl Iterator<Item = F>) -> Vec<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    let tasks: Vec<_> = all.map(tokio::spawn).collect();
    let done = join_all(tasks).await.into_iter();
    done.map(|done| done.unwrap_or_else(|error| resume_unwind(error.into_panic())))
        .collect()
}
