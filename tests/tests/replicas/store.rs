//! A store that fails when a test says so.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use futures::future::BoxFuture;

use hooks_sdk::store::{
    Bytes, EntryVersion, Key, Log, LogEntry, LogPosition, MemoryStore, Store, StoreError, Stored,
    Swap,
};

/// A store in memory, shared by the replicas of a test.
#[derive(Debug, Default)]
pub(crate) struct Weather {
    inner: MemoryStore,
    is_down: AtomicBool,
}

impl Weather {
    pub(crate) fn set_down(&self, is_down: bool) {
        self.is_down.store(is_down, Ordering::SeqCst);
    }

    fn weather(&self) -> Result<(), StoreError> {
        if self.is_down.load(Ordering::SeqCst) {
            return Err(StoreError::unreachable("SECRET of the store"));
        }
        Ok(())
    }
}

impl Store for Weather {
    fn load<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<Stored>, StoreError>> {
        Box::pin(async move {
            self.weather()?;
            self.inner.load(key).await
        })
    }

    fn compare_and_swap<'a>(
        &'a self,
        key: &'a Key,
        expected: Option<EntryVersion>,
        bytes: Bytes,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Swap, StoreError>> {
        Box::pin(async move {
            self.weather()?;
            self.inner.compare_and_swap(key, expected, bytes, ttl).await
        })
    }

    fn delete<'a>(
        &'a self,
        key: &'a Key,
        version: Option<EntryVersion>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.weather()?;
            self.inner.delete(key, version).await
        })
    }
}

impl Log for Weather {
    fn append<'a>(
        &'a self,
        stream: &'a Key,
        bytes: Bytes,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<LogPosition, StoreError>> {
        Box::pin(async move {
            self.weather()?;
            self.inner.append(stream, bytes, ttl).await
        })
    }

    fn read<'a>(
        &'a self,
        stream: &'a Key,
        after: LogPosition,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<LogEntry>, StoreError>> {
        Box::pin(async move {
            self.weather()?;
            self.inner.read(stream, after, most).await
        })
    }

    fn newest<'a>(&'a self, stream: &'a Key) -> BoxFuture<'a, Result<LogPosition, StoreError>> {
        Box::pin(async move {
            self.weather()?;
            self.inner.newest(stream).await
        })
    }

    fn changed<'a>(
        &'a self,
        stream: &'a Key,
        after: LogPosition,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.weather()?;
            self.inner.changed(stream, after).await
        })
    }
}
