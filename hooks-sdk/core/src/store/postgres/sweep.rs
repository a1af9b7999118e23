//! The deletion of expired rows.

use std::{sync::Mutex, time::Duration};

use deadpool_postgres::Pool;
use tokio::time::Instant;

use super::link;
use crate::{lock::lock, store::StoreError};

/// The shortest interval between two sweeps of one process.
const EVERY: Duration = Duration::from_secs(60);

/// The number of rows that one statement deletes, so that it takes milliseconds. The statement names it.
const AT_ONCE: usize = 1000;

/// Replicas sweep at the same time: each leaves out the rows that another one deletes.
const ENTRIES: &str = "
    DELETE FROM hooks_sdk_entry WHERE key IN (
        SELECT key FROM hooks_sdk_entry WHERE expires <= now() LIMIT 1000 FOR UPDATE SKIP LOCKED
    ) RETURNING 1";

/// When this process last deleted expired rows.
#[derive(Default)]
pub(super) struct Sweep(Mutex<Option<Instant>>);

impl Sweep {
    /// Deletes the expired rows in the background, if it is time.
    pub(super) fn start(&self, pool: &Pool) {
        let mut last = lock(&self.0);
        if last.is_some_and(|last| last.elapsed() < EVERY) {
            return;
        }
        *last = Some(Instant::now());
        let pool = pool.clone();
        tokio::spawn(async move {
            if let Err(error) = sweep(&pool).await {
                tracing::warn!(
                    target: "hooks_sdk::store",
                    "expired rows stay until the next sweep: {error}"
                );
            }
        });
    }
}

async fn sweep(pool: &Pool) -> Result<(), StoreError> {
    while link::query(pool, ENTRIES, &[]).await?.len() == AT_ONCE {}
    Ok(())
}
