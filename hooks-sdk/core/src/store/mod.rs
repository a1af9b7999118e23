//! Stores for sessions: in memory, in a SQLite file for the processes of one computer, and in Redis or PostgreSQL for
//! many replicas.
//!
//! A [`Store`] keeps small values under opaque keys, each with a version and a time to live. It does not
//! interpret the values. For another database, implement it yourself: each method is one round trip, and no method holds
//! a lock after it returns. `hooks_sdk::testing::store_contract` checks what you promise.

mod bytes;
#[cfg(any(feature = "sqlite", feature = "redis", feature = "postgres"))]
mod digest;
mod memory;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "redis")]
mod redis;
#[cfg(any(feature = "redis", feature = "postgres"))]
mod shared;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::{error::Error as StdError, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use thiserror::Error;

#[cfg(feature = "postgres")]
pub use self::postgres::PostgresStore;
#[cfg(feature = "redis")]
pub use self::redis::RedisStore;
pub use bytes::{Bytes, Key, LARGEST_VALUE};
pub use memory::MemoryStore;
#[cfg(feature = "sqlite")]
#[doc(hidden)]
pub use sqlite::SESSION_TABLES;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;

/// The result of an operation, once the store has answered.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// Keeps values by key. A write succeeds only if the caller names the entry's current version.
///
/// An expired entry counts as absent. A store has a capacity: when it is full of live entries, it refuses a new
/// entry and drops none.
pub trait Store: Send + Sync + 'static {
    /// Returns the live entry under `key`.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unreachable`].
    fn load<'a>(&'a self, key: &'a Key) -> StoreFuture<'a, Option<Stored>>;

    /// Stores `bytes` under `key` for `ttl`, if the live entry has the version `expected`. With `None`, stores
    /// them if there is no live entry.
    ///
    /// A store never gives one key the same version twice, not even after a delete.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unreachable`], [`StoreError::TooLarge`], and for a new entry [`StoreError::Full`].
    fn compare_and_swap<'a>(
        &'a self,
        key: &'a Key,
        expected: Option<EntryVersion>,
        bytes: Bytes,
        ttl: Duration,
    ) -> StoreFuture<'a, Swap>;

    /// Deletes the entry under `key`; with a version, only if the entry still has that version.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unreachable`].
    fn delete<'a>(&'a self, key: &'a Key, version: Option<EntryVersion>) -> StoreFuture<'a, ()>;

    /// Returns the store itself if it is a [`MemoryStore`]. Its callers then need no future, which halves the time
    /// of a call. Every other store keeps the default, `None`.
    fn in_memory(&self) -> Option<&MemoryStore> {
        None
    }
}

impl<S: Store + ?Sized> Store for Arc<S> {
    fn load<'a>(&'a self, key: &'a Key) -> StoreFuture<'a, Option<Stored>> {
        (**self).load(key)
    }

    fn compare_and_swap<'a>(
        &'a self,
        key: &'a Key,
        expected: Option<EntryVersion>,
        bytes: Bytes,
        ttl: Duration,
    ) -> StoreFuture<'a, Swap> {
        (**self).compare_and_swap(key, expected, bytes, ttl)
    }

    fn delete<'a>(&'a self, key: &'a Key, version: Option<EntryVersion>) -> StoreFuture<'a, ()> {
        (**self).delete(key, version)
    }

    fn in_memory(&self) -> Option<&MemoryStore> {
        (**self).in_memory()
    }
}

/// An entry as the store found it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "authors' stores make it")]
pub struct Stored {
    /// The value.
    pub bytes: Bytes,
    /// Its version.
    pub version: EntryVersion,
    /// The time until it expires.
    pub left: Duration,
}

/// Identifies one write of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "authors' stores make it")]
pub struct EntryVersion(pub u64);

/// The result of a compare-and-swap.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "authors' stores make it, and there is no third outcome"
)]
pub enum Swap {
    /// The entry was written, and now has this version.
    Done(EntryVersion),
    /// Nothing was written; this is the current live entry.
    Conflict(Option<Stored>),
}

/// Why a store operation failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store has no room for a new entry until a live entry expires.
    #[error("the store is full: it holds {0} live entries, which is its capacity")]
    Full(usize),
    /// The value is larger than [`LARGEST_VALUE`].
    #[error("the value has {0} bytes, and a store keeps at most {LARGEST_VALUE}")]
    TooLarge(usize),
    /// The store cannot be reached, or failed.
    #[error("the store cannot be reached: {0}")]
    Unreachable(#[source] Box<dyn StdError + Send + Sync>),
}

impl StoreError {
    /// Makes [`StoreError::Unreachable`] from a reason.
    pub fn unreachable(reason: impl Into<Box<dyn StdError + Send + Sync>>) -> StoreError {
        StoreError::Unreachable(reason.into())
    }
}
