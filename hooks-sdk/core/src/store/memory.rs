//! The store in the memory of one process, in shards.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use tokio::time::Instant;

use super::{
    Bytes, EntryVersion, Key, Store, StoreError, Stored, Swap,
    memory_log::Streams,
    table::{Entry, Table},
};

/// The default capacity.
const CAPACITY: usize = 1_000_000;

/// The number of shards: a power of two, so that a mask selects one.
const SHARDS: usize = 64;

/// The interval, in milliseconds, at which a shard that is not full drops its expired entries.
const SWEEP_EVERY: u64 = 60_000;

/// Keeps entries in the memory of this process. They are lost when the process ends.
pub struct MemoryStore {
    shards: Box<[Mutex<Shard>]>,
    hasher: RandomState,
    capacity: usize,
    len: AtomicUsize,
    began: Instant,
    pub(super) streams: Streams,
}

#[derive(Default)]
struct Shard {
    entries: Table,
    last_version: u64,
    swept: u64,
    /// The earliest time at which an entry expires.
    first_expiry: u64,
}

impl MemoryStore {
    /// Makes a store for at most a million entries.
    pub fn new() -> MemoryStore {
        MemoryStore::with_capacity(CAPACITY)
    }

    /// Makes a store for at most `capacity` entries.
    pub fn with_capacity(capacity: usize) -> MemoryStore {
        MemoryStore {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
            capacity,
            len: AtomicUsize::new(0),
            began: Instant::now(),
            streams: Streams::default(),
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

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    /// Selects a shard by the upper bits of a hash, because the table uses the lowest bits.
    fn shard(&self, hash: u64) -> MutexGuard<'_, Shard> {
        lock(&self.shards[(hash >> 32) as usize % SHARDS])
    }

    /// Like [`Store::load`], without a future.
    pub(crate) fn find(&self, key: &Key) -> Option<Stored> {
        let hash = self.hasher.hash_one(key);
        let now = self.now();
        let shard = self.shard(hash);
        let entry = shard.entries.get(hash, key)?;
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
            let found = shard.entries.get_mut(hash, key);
            let live = found.as_deref().filter(|entry| entry.is_live(now));
            if live.map(|entry| EntryVersion(entry.version)) != expected {
                return Ok(Swap::Conflict(live.map(|entry| entry.stored(now))));
            }
            if let Some(entry) = found {
                entry.bytes = bytes;
                (entry.version, entry.expires) = (version, expires);
                return Ok(Swap::Done(shard.wrote(version, expires)));
            }
            if now.saturating_sub(shard.swept) >= SWEEP_EVERY {
                self.sweep(&mut shard, now);
            }
            if self.admit() {
                let entry = Entry {
                    key: key.clone(),
                    bytes,
                    version,
                    expires,
                };
                shard
                    .entries
                    .add(hash, entry, |key| self.hasher.hash_one(key));
                return Ok(Swap::Done(shard.wrote(version, expires)));
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
        let found = shard
            .entries
            .get(hash, key)
            .map(|entry| EntryVersion(entry.version));
        if found.is_some() && (version.is_none() || version == found) {
            shard
                .entries
                .remove(hash, key, |key| self.hasher.hash_one(key));
            self.len.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Makes room for one entry, if possible.
    fn admit(&self) -> bool {
        let more = |len| (len < self.capacity).then_some(len + 1);
        self.len
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .is_ok()
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
        let rehash = |key: &Key| self.hasher.hash_one(key);
        shard.entries.retain(|entry| entry.expires > now, rehash);
        let gone = before - shard.entries.len();
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
    fn load<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<Stored>, StoreError>> {
        Box::pin(async move { Ok(self.find(key)) })
    }

    fn compare_and_swap<'a>(
        &'a self,
        key: &'a Key,
        expected: Option<EntryVersion>,
        bytes: Bytes,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Swap, StoreError>> {
        Box::pin(async move { self.swap(key, expected, bytes, ttl) })
    }

    fn delete<'a>(
        &'a self,
        key: &'a Key,
        version: Option<EntryVersion>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
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

fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}
