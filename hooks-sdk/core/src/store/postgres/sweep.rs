//! The deletion of expired rows.

use std::{sync::Mutex, time::Duration};

use deadpool_postgres::Pool;
use tokio::time::Instant;

use super::link;
use crate::{lock::lock, store::StoreError};

/// The shortest interval between two sweeps of one process.
const EVERY: Duration = Duration::from_secs(60);

/// The number of rows that one statement deletes, so that it takes milliseconds. Both statements name it.
const AT_ONCE: usize = 1000;

/// Replicas sweep at the same time: each leaves out the rows that another one deletes.
const ENTRIES: &str = "
    DELETE FROM hooks_sdk_entry WHERE key IN (
        SELECT key FROM hooks_sdk_entry WHERE expires <= now() LIMIT 1000 FOR UPDATE SKIP LOCKED
    ) RETURNING 1";

const STREAMS: &str = "
    WITH gone AS (
        DELETE FROM hooks_sdk_stream WHERE stream IN (
            SELECT stream FROM hooks_sdk_stream WHERE expires <= now() LIMIT 1000 FOR UPDATE SKIP LOCKED
        ) RETURNING stream
    ), entries AS (
        DELETE FROM hooks_sdk_log USING gone WHERE hooks_sdk_log.stream = gone.stream
    )
    SELECT 1 FROM gone";

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
    for sql in [ENTRIES, STREAMS] {
        while link::query(pool, sql, &[]).await?.len() == AT_ONCE {}
    }
    Ok(())
}
