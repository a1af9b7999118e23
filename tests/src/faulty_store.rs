//! A store that fails, waits and counts as a test says.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use hooks_sdk::store::{Bytes, EntryVersion, Key, MemoryStore, Store, StoreError, Stored, Swap};

/// A store in memory. Clones share its entries and its faults.
#[derive(Clone, Debug, Default)]
pub struct FaultyStore(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    entries: MemoryStore,
    /// Why nothing of it can be reached.
    fault: Mutex<Option<&'static str>>,
    /// How long the next load takes.
    delay: Mutex<Option<Duration>>,
    loads: AtomicUsize,
    uses: AtomicUsize,
}

impl FaultyStore {
    /// A store that has never been reached.
    pub fn broken(fault: &'static str) -> FaultyStore {
        let store = FaultyStore::default();
        store.fail(fault);
        store
    }

    /// Every later use fails with this text.
    pub fn fail(&self, fault: &'static str) {
        *self.0.fault.lock().unwrap() = Some(fault);
    }

    /// Every later use works again.
    pub fn mend(&self) {
        *self.0.fault.lock().unwrap() = None;
    }

    /// The next load takes this long.
    pub fn delay_next_load(&self, time: Duration) {
        *self.0.delay.lock().unwrap() = Some(time);
    }

    /// How often an entry was loaded.
    pub fn loads(&self) -> usize {
        self.0.loads.load(Ordering::Relaxed)
    }

    /// How often it was used, whatever became of it.
    pub fn uses(&self) -> usize {
        self.0.uses.load(Ordering::Relaxed)
    }

    /// Counts a use. It reaches the entries only when it is polled, if the store works then.
    fn reach<'a, T: Send + 'a>(
        &'a self,
        answer: impl Future<Output = Result<T, StoreError>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T, StoreError>> {
        self.0.uses.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            let fault = *self.0.fault.lock().unwrap();
            match fault {
                Some(fault) => Err(StoreError::unreachable(fault)),
                None => answer.await,
            }
        })
    }
}

impl Store for FaultyStore {
    fn load<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<Stored>, StoreError>> {
        self.0.loads.fetch_add(1, Ordering::Relaxed);
        self.reach(async move {
            let delay = self.0.delay.lock().unwrap().take();
            if let Some(delay) = delay {
                tokio::time::sleep(delay).await;
            }
            self.0.entries.load(key).await
        })
    }

    fn compare_and_swap<'a>(
        &'a self,
        key: &'a Key,
        expected: Option<EntryVersion>,
        bytes: Bytes,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Swap, StoreError>> {
        self.reach(self.0.entries.compare_and_swap(key, expected, bytes, ttl))
    }

    fn delete<'a>(
        &'a self,
        key: &'a Key,
        version: Option<EntryVersion>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.reach(self.0.entries.delete(key, version))
    }
}
