//! An append log: short entries in order, under streams, each with a time to live.

use std::{sync::Arc, time::Duration};

#[cfg(doc)]
use super::StoreError;
use super::{Bytes, Key, StoreFuture};

/// The largest number of entries that a stream keeps. When a further entry comes, the oldest entry is dropped.
pub const LONGEST_STREAM: usize = 1024;

/// Keeps entries in order, under streams. Every process that shares the log sees the same entries in the same order.
///
/// A stream is made by its first entry, and expires when it had no new entry for its time to live. It keeps its newest
/// [`LONGEST_STREAM`] entries.
pub trait Log: Send + Sync + 'static {
    /// Appends an entry to the stream, and returns its position. The stream then lives for `ttl`.
    ///
    /// Positions in one stream ascend, and a stream never has one position twice, not even after it has expired.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unreachable`], [`StoreError::TooLarge`], and for a new stream [`StoreError::Full`].
    fn append<'a>(
        &'a self,
        stream: &'a Key,
        bytes: Bytes,
        ttl: Duration,
    ) -> StoreFuture<'a, LogPosition>;

    /// Returns the oldest entries after `after`, at most `most`, in order.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unreachable`].
    fn read<'a>(
        &'a self,
        stream: &'a Key,
        after: LogPosition,
        most: usize,
    ) -> StoreFuture<'a, Vec<LogEntry>>;

    /// Returns the position of the newest entry, or [`LogPosition::START`] if the stream has none.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unreachable`].
    fn newest<'a>(&'a self, stream: &'a Key) -> StoreFuture<'a, LogPosition>;

    /// Waits until the stream may have an entry after `after`. It may return although there is none.
    ///
    /// All waits of one process share one connection. If that connection breaks, every wait returns.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unreachable`].
    fn changed<'a>(&'a self, stream: &'a Key, after: LogPosition) -> StoreFuture<'a, ()>;
}

/// The place of an entry in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "authors' logs make it")]
pub struct LogPosition(pub u64);

impl LogPosition {
    /// The place before every entry.
    pub const START: LogPosition = LogPosition(0);
}

/// An entry of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "authors' logs make it")]
pub struct LogEntry {
    /// The place of the entry.
    pub position: LogPosition,
    /// The content of the entry.
    pub bytes: Bytes,
}

impl<L: Log + ?Sized> Log for Arc<L> {
    fn append<'a>(
        &'a self,
        stream: &'a Key,
        bytes: Bytes,
        ttl: Duration,
    ) -> StoreFuture<'a, LogPosition> {
        (**self).append(stream, bytes, ttl)
    }

    fn read<'a>(
        &'a self,
        stream: &'a Key,
        after: LogPosition,
        most: usize,
    ) -> StoreFuture<'a, Vec<LogEntry>> {
        (**self).read(stream, after, most)
    }

    fn newest<'a>(&'a self, stream: &'a Key) -> StoreFuture<'a, LogPosition> {
        (**self).newest(stream)
    }

    fn changed<'a>(&'a self, stream: &'a Key, after: LogPosition) -> StoreFuture<'a, ()> {
        (**self).changed(stream, after)
    }
}
