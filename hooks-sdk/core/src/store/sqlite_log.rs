//! The append log in a SQLite file.

use std::{pin::pin, time::Duration};

use futures::future::{Either, select};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use tokio::{
    sync::{Mutex, Notify},
    time::{Instant, sleep, timeout_at},
};

use super::{
    Bytes, Key, LONGEST_STREAM, Log, LogEntry, LogPosition, SqliteStore, StoreError, StoreFuture,
    digest::digest,
    sqlite::{is_full, now},
};

/// The interval at which a process looks whether another process wrote to the file.
const POLL_EVERY: Duration = Duration::from_millis(50);

/// The longest time that a wait for a new entry lasts.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The tables. `streams` has the number of rows in `stream`. Positions are counted by `tally`, as versions are, so that
/// a stream that has expired does not begin again.
pub(super) const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS stream (key BLOB PRIMARY KEY, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS stream_expires ON stream (expires);
    CREATE TABLE IF NOT EXISTS log (
        stream BLOB, position INTEGER, bytes BLOB NOT NULL, PRIMARY KEY (stream, position)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS streams (one INTEGER PRIMARY KEY CHECK (one = 1), len INTEGER NOT NULL) STRICT;
    INSERT OR IGNORE INTO streams VALUES (1, 0);
    CREATE TRIGGER IF NOT EXISTS stream_comes AFTER INSERT ON stream BEGIN UPDATE streams SET len = len + 1; END;
    CREATE TRIGGER IF NOT EXISTS stream_goes AFTER DELETE ON stream BEGIN
        DELETE FROM log WHERE stream = old.key;
        UPDATE streams SET len = len - 1;
    END;
";

const NEWEST: &str = "
    SELECT position FROM stream JOIN log ON log.stream = key WHERE key = ?1 AND expires > ?2
    ORDER BY position DESC LIMIT 1";

/// How the waits of one store learn of new entries.
#[derive(Debug, Default)]
pub(super) struct Polls {
    /// This process appended an entry, or saw that another one wrote to the file.
    changed: Notify,
    /// The wait that has it looks at the file for all waits, and keeps here what it saw last.
    seen: Mutex<Option<i64>>,
}

impl Log for SqliteStore {
    fn append<'a>(
        &'a self,
        stream: &'a Key,
        bytes: Bytes,
        ttl: Duration,
    ) -> StoreFuture<'a, LogPosition> {
        if let Err(error) = bytes.check_size() {
            return Box::pin(async { Err(error) });
        }
        let (stream, capacity) = (digest(stream), self.capacity);
        let appended =
            self.run(move |connection| append(connection, &stream, &bytes, ttl, capacity));
        Box::pin(async move {
            let position = appended.await?.ok_or(StoreError::Full(capacity))?;
            self.polls.changed.notify_waiters();
            Ok(position)
        })
    }

    fn read<'a>(
        &'a self,
        stream: &'a Key,
        after: LogPosition,
        most: usize,
    ) -> StoreFuture<'a, Vec<LogEntry>> {
        let stream = digest(stream);
        let after = i64::try_from(after.0).unwrap_or(i64::MAX);
        let most = most.min(LONGEST_STREAM) as i64;
        self.run(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT position, bytes FROM stream JOIN log ON log.stream = key
                 WHERE key = ?1 AND expires > ?2 AND position > ?3 ORDER BY position LIMIT ?4",
            )?;
            let found = statement.query_map(params![stream, now(), after, most], |row| {
                Ok(LogEntry {
                    position: position(row.get(0)?),
                    bytes: Bytes::from(row.get_ref(1)?.as_blob()?),
                })
            })?;
            found.collect()
        })
    }

    fn newest<'a>(&'a self, stream: &'a Key) -> StoreFuture<'a, LogPosition> {
        let stream = digest(stream);
        self.run(move |connection| {
            let mut statement = connection.prepare_cached(NEWEST)?;
            let newest = statement.query_row(params![stream, now()], |row| row.get(0));
            Ok(newest.optional()?.map_or(LogPosition::START, position))
        })
    }

    fn changed<'a>(&'a self, stream: &'a Key, after: LogPosition) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let until = Instant::now() + LONGEST_WAIT;
            loop {
                let mut changed = pin!(self.polls.changed.notified());
                changed.as_mut().enable();
                if self.newest(stream).await? > after || Instant::now() >= until {
                    return Ok(());
                }
                let poll = pin!(self.poll());
                let either = select(changed, poll);
                if let Ok(Either::Right((failed, _))) = timeout_at(until, either).await {
                    failed?;
                }
            }
        })
    }
}

impl SqliteStore {
    /// Looks at the file for all waits of this store, until another process has written to it.
    async fn poll(&self) -> Result<(), StoreError> {
        let mut seen = self.polls.seen.lock().await;
        loop {
            let found = self.run(|connection| {
                connection.pragma_query_value(None, "data_version", |row| row.get(0))
            });
            let found = Some(found.await?);
            if std::mem::replace(&mut *seen, found) != found {
                self.polls.changed.notify_waiters();
                return Ok(());
            }
            sleep(POLL_EVERY).await;
        }
    }
}

/// Returns `None` if there is no room for a new stream.
fn append(
    connection: &mut Connection,
    stream: &[u8; 32],
    bytes: &Bytes,
    ttl: Duration,
    capacity: usize,
) -> rusqlite::Result<Option<LogPosition>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let now = now();
    transaction
        .prepare_cached("DELETE FROM stream WHERE expires <= ?1")?
        .execute([now])?;
    let expires = now.saturating_add(i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX));
    let is_known = transaction
        .prepare_cached("UPDATE stream SET expires = ?2 WHERE key = ?1")?
        .execute(params![stream, expires])?;
    if is_known == 0 {
        let len: i64 = transaction
            .prepare_cached("SELECT len FROM streams")?
            .query_row([], |row| row.get(0))?;
        if usize::try_from(len).unwrap_or_default() >= capacity {
            transaction.commit()?;
            return Ok(None);
        }
        transaction
            .prepare_cached("INSERT INTO stream VALUES (?1, ?2)")?
            .execute(params![stream, expires])?;
    }
    if is_full(&transaction, capacity)? {
        transaction.commit()?;
        return Ok(None);
    }
    let number: i64 = transaction
        .prepare_cached("UPDATE tally SET versions = versions + 1 RETURNING versions")?
        .query_row([], |row| row.get(0))?;
    transaction
        .prepare_cached("INSERT INTO log VALUES (?1, ?2, ?3)")?
        .execute(params![stream, number, bytes.as_slice()])?;
    transaction
        .prepare_cached(
            "DELETE FROM log WHERE stream = ?1 AND position <= (
                 SELECT position FROM log WHERE stream = ?1 ORDER BY position DESC LIMIT 1 OFFSET ?2
             )",
        )?
        .execute(params![stream, LONGEST_STREAM as i64])?;
    transaction.commit()?;
    Ok(Some(position(number)))
}

fn position(number: i64) -> LogPosition {
    LogPosition(number.cast_unsigned())
}
