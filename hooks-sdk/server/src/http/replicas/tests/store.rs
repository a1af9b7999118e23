//! A store that fails, hangs or loses an entry when a test says so.

use std::{
    future::pending,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;

use hooks_core::store::{Bytes, EntryVersion, Key, MemoryStore, Store, StoreError, Stored, Swap};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Sky {
    #[default]
    Clear,
    /// Every operation fails.
    Down,
    /// No operation ends.
    Hangs,
}

/// A store in memory, shared by the replicas of a test.
#[derive(Debug, Default)]
pub(crate) struct Weather {
    pub(crate) inner: MemoryStore,
    sky: Mutex<Sky>,
    /// How often a session was looked up.
    loaded: AtomicUsize,
}

impl Weather {
    pub(crate) fn set(&self, sky: Sky) {
        *self.sky.lock().unwrap() = sky;
    }

    pub(crate) fn loaded(&self) -> usize {
        self.loaded.load(Ordering::Relaxed)
    }

    async fn weather(&self) -> Result<(), StoreError> {
        let sky = *self.sky.lock().unwrap();
        match sky {
            Sky::Clear => Ok(()),
            Sky::Down => Err(StoreError::unreachable("SECRET of the store")),
            Sky::Hangs => pending().await,
        }
    }
}

impl Store for Weather {
    fn load<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<Stored>, StoreError>> {
        Box::pin(async move {
            if key.as_slice().starts_with(b"hooks-sdk/http/session/") {
                self.loaded.fetch_add(1, Ordering::Relaxed);
            }
            self.weather().await?;
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
            self.weather().await?;
            self.inner.compare_and_swap(key, expected, bytes, ttl).await
        })
    }

    fn delete<'a>(
        &'a self,
        key: &'a Key,
        version: Option<EntryVersion>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.weather().await?;
            self.inner.delete(key, version).await
        })
    }
}
