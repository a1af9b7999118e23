//! Where sessions are kept: in memory, or in SQLite for processes that share a machine.
//!
//! A [`Store`] keeps small values under opaque keys, each with a version and a time to live. It knows
//! nothing of what it keeps. Write your own for a database that several replicas share: every method is
//! one round trip, and none needs a lock that outlives it.

mod bytes;
mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;
mod table;

use std::{error::Error as StdError, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use thiserror::Error;

pub use bytes::{Bytes, Key};
pub use memory::MemoryStore;
#[cfg(feature = "clients")]
pub(crate) use sqlite::SESSION_TABLES;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;

/// Keeps values by key, changed only by who has seen the present version.
///
/// An entry whose time is over is as good as gone. A store has a bound; when it is full of live entries,
/// a new one is refused and none is dropped.
pub trait Store: Send + Sync + 'static {
    /// The live entry under `key`.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unreachable`].
    fn load<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<Stored>, StoreError>>;

    /// Puts `bytes` under `key` for `ttl`, if the live entry there has the version `expected`; with `None`,
    /// if there is none.
    ///
    /// A version is never given twice to one key, not even after its entry was deleted.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unreachable`], and for a new entry [`StoreError::Full`].
    fn compare_and_swap<'a>(
        &'a self,
        key: &'a Key,
        expected: Option<EntryVersion>,
        bytes: Bytes,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Swap, StoreError>>;

    /// Deletes the entry under `key`; with a version, only if it still has that one.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unreachable`].
    fn delete<'a>(
        &'a self,
        key: &'a Key,
        version: Option<EntryVersion>,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// The store itself where it is this process's memory, which answers at once: asking it without a future
    /// takes half the time. A store that does anything else besides stays with the default, `None`.
    fn in_memory(&self) -> Option<&MemoryStore> {
        None
    }
}

impl<S: Store + ?Sized> Store for Arc<S> {
    fn load<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<Stored>, StoreError>> {
        (**self).load(key)
    }

    fn compare_and_swap<'a>(
        &'a self,
        key: &'a Key,
        expected: Option<EntryVersion>,
        bytes: Bytes,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Swap, StoreError>> {
        (**self).compare_and_swap(key, expected, bytes, ttl)
    }

    fn delete<'a>(
        &'a self,
        key: &'a Key,
        version: Option<EntryVersion>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        (**self).delete(key, version)
    }

    fn in_memory(&self) -> Option<&MemoryStore> {
        (**self).in_memory()
    }
}

/// An entry as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "authors' stores make it")]
pub struct Stored {
    /// The value.
    pub bytes: Bytes,
    /// Its version.
    pub version: EntryVersion,
    /// How long it still lives.
    pub left: Duration,
}

/// Tells one write of an entry from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "authors' stores make it")]
pub struct EntryVersion(pub u64);

/// What came of a compare-and-swap.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "authors' stores make it, and there is no third outcome"
)]
pub enum Swap {
    /// It was written, and has this version now.
    Done(EntryVersion),
    /// It was not; this is what stands there instead.
    Conflict(Option<Stored>),
}

/// Why a store did not do what it was asked to.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no room for a new entry until a live one expires.
    #[error("the store is full: it holds {0} live entries, as many as it may")]
    Full(usize),
    /// It cannot be reached, or failed.
    #[error("the store cannot be reached: {0}")]
    Unreachable(#[source] Box<dyn StdError + Send + Sync>),
}

impl StoreError {
    /// The store failed, for this reason.
    pub fn unreachable(reason: impl Into<Box<dyn StdError + Send + Sync>>) -> StoreError {
        StoreError::Unreachable(reason.into())
    }
}
