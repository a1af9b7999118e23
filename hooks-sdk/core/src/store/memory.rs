//! The store in the memory of one process, in shards.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use hashbrown::HashTable;
use tokio::time::Instant;

use super::{Bytes, EntryVersion, Key, Store, StoreError, StoreFuture, Stored, Swap};
use crate::lock::lock;

/// The default capacity.
const CAPACITY: usize = 1_000_000;

/// How many bytes of values a store holds: this for each entry of its capacity, and at least [`LEAST_BYTES`].
const BYTES_OF_ONE: usize = 1024;
const LEAST_BYTES: usize = 64 * 1024 * 1024;

/// Returns how many bytes the values of a store with this capacity have at most.
pub(super) fn most_bytes(capacity: usize) -> usize {
    capacity.saturating_mul(BYTES_OF_ONE).max(LEAST_BYTES)
}

/// The number of shards: a power of two, so that a mask selects one.
const SHARDS: usize = 64;

/// The interval, in milliseconds, at which a shard that is not full drops its expired entries.
const SWEEP_EVERY: u64 = 60_000;

/// Keeps entries in the memory of this process. They are lost when the process ends.
///
/// ```
/// use hooks_sdk::store::MemoryStore;
///
/// let store = MemoryStore::with_capacity(10_000);
/// assert!(store.is_empty());
/// ```
pub struct MemoryStore {
    shards: Box<[Mutex<Shard>]>,
    hasher: RandomState,
    capacity: usize,
    len: AtomicUsize,
    /// The bytes of all values.
    held: AtomicUsize,
    began: Instant,
}

#[derive(Default)]
struct Shard {
    /// A hash selects the shard, too, so that it is computed once.
    entries: HashTable<Entry>,
    last_version: u64,
    swept: u64,
    /// The earliest time at which an entry expires.
    first_expiry: u64,
}

/// Fills one cache line: with a million sessions, reading it is most of the cost of a call.
#[derive(Debug)]
#[repr(align(64))]
struct Entry {
    key: Key,
    bytes: Bytes,
    version: u64,
    /// In milliseconds since the store was made.
    expires: u64,
}

impl MemoryStore {
    /// Makes a store for at most a million entries.
    pub fn new() -> MemoryStore {
        MemoryStore::with_capacity(CAPACITY)
    }

    /// Makes a store for at most `capacity` entries, whose values have at most 1 KiB each on average, or 64 MiB together if that is
    /// more.
    pub fn with_capacity(capacity: usize) -> MemoryStore {
        MemoryStore {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
            capacity,
            len: AtomicUsize::new(0),
            held: AtomicUsize::new(0),
            began: Instant::now(),
        }
    }

    /// Returns the number of entries, including expired entries that are not dropped yet.
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Returns whether the store holds no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    /// Selects a shard by the middle of a hash, because the table uses the lowest and the highest bits.
    fn shard(&self, hash: u64) -> MutexGuard<'_, Shard> {
        lock(&self.shards[(hash >> 32) as usize % SHARDS])
    }

    /// Like [`Store::load`], without a future.
    pub(crate) fn find(&self, key: &Key) -> Option<Stored> {
        let hash = self.hasher.hash_one(key);
        let now = self.now();
        let shard = self.shard(hash);
        let entry = shard.entries.find(hash, |entry| entry.key == *key)?;
        entry.is_live(now).then(|| entry.stored(now))
    }

    /// Like [`Store::compare_and_swap`], without a future.
    pub(crate) fn swap(
        &self,
        key: &Key,
        expected: Option<EntryVersion>,
        bytes: Bytes,
        ttl: Duration,
    ) -> Result<Swap, StoreError> {
        bytes.check_size()?;
        let hash = self.hasher.hash_one(key);
        let now = self.now();
        let expires = now.saturating_add(u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX));
        let mut swept = false;
        loop {
            let mut shard = self.shard(hash);
            let version = shard.last_version + 1;
            let found = shard.entries.find_mut(hash, |entry| entry.key == *key);
            let live = found.as_deref().filter(|entry| entry.is_live(now));
            if live.map(|entry| EntryVersion(entry.version)) != expected {
                return Ok(Swap::Conflict(live.map(|entry| entry.stored(now))));
            }
            if let Some(entry) = found {
                if self.holds(entry.bytes.as_slice().len(), bytes.as_slice().len()) {
                    entry.bytes = bytes;
                    (entry.version, entry.expires) = (version, expires);
                    return Ok(Swap::Done(shard.wrote(version, expires)));
                }
            } else {
                if now.saturating_sub(shard.swept) >= SWEEP_EVERY {
                    self.sweep(&mut shard, now);
                }
                if self.admit(bytes.as_slice().len()) {
                    let entry = Entry {
                        key: key.clone(),
                        bytes,
                        version,
                        expires,
                    };
                    let rehash = |entry: &Entry| self.hasher.hash_one(&entry.key);
                    shard.entries.insert_unique(hash, entry, rehash);
                    return Ok(Swap::Done(shard.wrote(version, expires)));
                }
            }
            if swept {
                return Err(StoreError::Full(self.capacity));
            }
            drop(shard);
            self.sweep_all(now);
            swept = true;
        }
    }

    /// Like [`Store::delete`], without a future.
    pub(crate) fn remove(&self, key: &Key, version: Option<EntryVersion>) {
        let hash = self.hasher.hash_one(key);
        let mut shard = self.shard(hash);
        let is_meant = |entry: &Entry| {
            entry.key == *key && version.is_none_or(|version| version.0 == entry.version)
        };
        if let Ok(found) = shard.entries.find_entry(hash, is_meant) {
            let (entry, _) = found.remove();
            self.held
                .fetch_sub(entry.bytes.as_slice().len(), Ordering::Relaxed);
            self.len.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Makes room for one entry with a value of this many bytes, if possible.
    fn admit(&self, bytes: usize) -> bool {
        let more = |len| (len < self.capacity).then_some(len + 1);
        let len = self
            .len
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        if len.is_err() {
            return false;
        }
        let holds = self.holds(0, bytes);
        if !holds {
            self.len.fetch_sub(1, Ordering::Relaxed);
        }
        holds
    }

    /// Makes room for the bytes that a value has more than before, if possible.
    fn holds(&self, before: usize, after: usize) -> bool {
        let most = most_bytes(self.capacity);
        let more = |held: usize| {
            let held = held + after - before.min(held + after);
            (after <= before || held <= most).then_some(held)
        };
        let held = self
            .held
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        held.is_ok()
    }

    /// Drops the expired entries of the shards that may have some.
    fn sweep_all(&self, now: u64) {
        for shard in &self.shards {
            let mut shard = lock(shard);
            if shard.first_expiry <= now {
                self.sweep(&mut shard, now);
            }
        }
    }

    fn sweep(&self, shard: &mut Shard, now: u64) {
        let before = shard.entries.len();
        let mut freed = 0;
        shard.entries.retain(|entry| {
            let stays = entry.expires > now;
            freed += if stays {
                0
            } else {
                entry.bytes.as_slice().len()
            };
            stays
        });
        self.held.fetch_sub(freed, Ordering::Relaxed);
        let gone = before - shard.entries.len();
        if gone > 0 {
            let rehash = |entry: &Entry| self.hasher.hash_one(&entry.key);
            shard.entries.shrink_to_fit(rehash);
        }
        self.len.fetch_sub(gone, Ordering::Relaxed);
        shard.swept = now;
        shard.first_expiry = shard
            .entries
            .iter()
            .map(|entry| entry.expires)
            .min()
            .unwrap_or(u64::MAX);
    }
}

impl Store for MemoryStore {
    fn load<'a>(&'a self, key: &'a Key) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move { Ok(self.find(key)) })
    }

    fn compare_and_swap<'a>(
        &'a self,
        key: &'a Key,
        expected: Option<EntryVersion>,
        bytes: Bytes,
        ttl: Duration,
    ) -> StoreFuture<'a, Swap> {
        Box::pin(async move { self.swap(key, expected, bytes, ttl) })
    }

    fn delete<'a>(&'a self, key: &'a Key, version: Option<EntryVersion>) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.remove(key, version);
            Ok(())
        })
    }

    fn in_memory(&self) -> Option<&MemoryStore> {
        Some(self)
    }
}

impl Shard {
    /// Each shard counts its versions, so that no version returns after a delete.
    fn wrote(&mut self, version: u64, expires: u64) -> EntryVersion {
        self.last_version = version;
        self.first_expiry = self.first_expiry.min(expires);
        EntryVersion(version)
    }
}

impl Entry {
    fn is_live(&self, now: u64) -> bool {
        self.expires > now
    }

    fn stored(&self, now: u64) -> Stored {
        Stored {
            bytes: self.bytes.clone(),
            version: EntryVersion(self.version),
            left: Duration::from_millis(self.expires - now),
        }
    }
}

impl Default for MemoryStore {
    fn default() -> MemoryStore {
        MemoryStore::new()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore")
            .field("len", &self.len())
            .field("capacity", &self.capacity)
            .finish()
    }
}

#[cfg(test)]
mod tests;
