//! Stores for many replicas: their contract, run against real databases, and databases that fail.

mod contracts;
mod failover;
mod forwarder;
mod garbage;
mod model;
mod own_scheme;
mod postgres;
mod redis;
mod servers;
mod sessions;
mod sqlite;
mod tls;

use std::time::Duration;

use hooks_sdk::store::{Bytes, EntryVersion, Key, Store, StoreError, Swap};

const LONG: Duration = Duration::from_secs(600);

/// The longest time that an event may take that is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

fn key(text: &str) -> Key {
    Key::new(text.as_bytes())
}

fn bytes(text: &str) -> Bytes {
    Bytes::from(text.as_bytes())
}

async fn put(
    store: &dyn Store,
    key: &Key,
    expected: Option<EntryVersion>,
    text: &str,
) -> Result<Swap, StoreError> {
    store
        .compare_and_swap(key, expected, bytes(text), LONG)
        .await
}

/// Writes what must be written, and returns the version.
async fn must_put(
    store: &dyn Store,
    key: &Key,
    expected: Option<EntryVersion>,
    text: &str,
) -> EntryVersion {
    match put(store, key, expected, text).await.unwrap() {
        Swap::Done(version) => version,
        Swap::Conflict(found) => panic!("{found:?}"),
    }
}

async fn text(store: &dyn Store, key: &Key) -> Option<String> {
    let found = store.load(key).await.unwrap()?;
    Some(String::from_utf8(found.bytes.as_slice().to_vec()).unwrap())
}

/// Asks until the store answers again.
async fn recovered(store: &dyn Store) {
    let asked = async {
        while store.load(&key("is it back?")).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, asked)
        .await
        .expect("the store answers again");
}

/// Returns the text of an error that must be [`StoreError::Unreachable`].
fn unreachable<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    match result {
        Err(error @ StoreError::Unreachable(_)) => error.to_string(),
        other => panic!("not unreachable: {other:?}"),
    }
}

/// Waits for what must come within bounded time.
async fn soon<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("it takes bounded time")
}
