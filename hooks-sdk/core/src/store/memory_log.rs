//! The append log in the memory of one process.

use std::{
    collections::{HashMap, VecDeque},
    sync::Mutex,
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

use super::{
    Bytes, Key, LONGEST_STREAM, Log, LogEntry, LogPosition, MemoryStore, StoreError, StoreFuture,
};
use crate::lock::lock;

/// The interval at which expired streams are dropped.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// The longest time that a wait for a new entry lasts.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The streams of a [`MemoryStore`].
#[derive(Debug, Default)]
pub(super) struct Streams {
    inner: Mutex<Inner>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    by_key: HashMap<Key, Entries>,
    /// The last position of all streams, so that no stream has one twice.
    last: u64,
    swept: Option<Instant>,
}

#[derive(Debug)]
struct Entries {
    entries: VecDeque<LogEntry>,
    expires: Instant,
}

impl Streams {
    fn append(
        &self,
        stream: &Key,
        bytes: Bytes,
        ttl: Duration,
        capacity: usize,
    ) -> Result<LogPosition, StoreError> {
        bytes.check_size()?;
        let mut inner = lock(&self.inner);
        let now = Instant::now();
        let is_new = !inner.by_key.contains_key(stream);
        let is_due = inner.swept.is_none_or(|at| now - at >= SWEEP_EVERY);
        if is_due || is_new && inner.by_key.len() >= capacity {
            inner.by_key.retain(|_, entries| entries.expires > now);
            inner.swept = Some(now);
        }
        if !inner.by_key.contains_key(stream) && inner.by_key.len() >= capacity {
            return Err(StoreError::Full(capacity));
        }
        inner.last += 1;
        let position = LogPosition(inner.last);
        let expires = now + ttl;
        let entries = inner.by_key.entry(stream.clone());
        let entries = entries.or_insert_with(|| Entries {
            entries: VecDeque::new(),
            expires,
        });
        if entries.expires <= now {
            entries.entries.clear();
        }
        entries.expires = expires;
        if entries.entries.len() == LONGEST_STREAM {
            entries.entries.pop_front();
        }
        entries.entries.push_back(LogEntry { position, bytes });
        drop(inner);
        self.changed.notify_waiters();
        Ok(position)
    }

    fn with<T>(&self, stream: &Key, read: impl FnOnce(&VecDeque<LogEntry>) -> T) -> Option<T> {
        let inner = lock(&self.inner);
        let entries = inner.by_key.get(stream)?;
        (entries.expires > Instant::now()).then(|| read(&entries.entries))
    }

    fn newest(&self, stream: &Key) -> LogPosition {
        let newest = self.with(stream, |entries| entries.back().map(|entry| entry.position));
        newest.flatten().unwrap_or(LogPosition::START)
    }

    async fn changed(&self, stream: &Key, after: LogPosition) {
        let until = Instant::now() + LONGEST_WAIT;
        loop {
            let changed = self.changed.notified();
            if self.newest(stream) > after || timeout_at(until, changed).await.is_err() {
                return;
            }
        }
    }
}

impl Log for MemoryStore {
    fn append<'a>(
        &'a self,
        stream: &'a Key,
        bytes: Bytes,
        ttl: Duration,
    ) -> StoreFuture<'a, LogPosition> {
        Box::pin(async move { self.streams.append(stream, bytes, ttl, self.capacity()) })
    }

    fn read<'a>(
        &'a self,
        stream: &'a Key,
        after: LogPosition,
        most: usize,
    ) -> StoreFuture<'a, Vec<LogEntry>> {
        let found = self.streams.with(stream, |entries| {
            let later = entries.iter().filter(|entry| entry.position > after);
            later.take(most).cloned().collect()
        });
        Box::pin(async move { Ok(found.unwrap_or_default()) })
    }

    fn newest<'a>(&'a self, stream: &'a Key) -> StoreFuture<'a, LogPosition> {
        Box::pin(async move { Ok(self.streams.newest(stream)) })
    }

    fn changed<'a>(&'a self, stream: &'a Key, after: LogPosition) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.streams.changed(stream, after).await;
            Ok(())
        })
    }
}
