//! The store in a SQLite file, for the processes of one computer.

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::{
    Bytes, EntryVersion, Key, Store, StoreError, StoreFuture, Stored, Swap, digest::digest,
    memory::most_bytes,
};
use crate::{lock::lock, macros::debugs, sqlite};

/// The default capacity.
const CAPACITY: usize = 1_000_000;

/// The number of the file's layout, in `user_version`.
const LAYOUT: i64 = 1;

/// The tables. `tally` has the number of rows in `session` and the last version that was given.
#[doc(hidden)]
pub const SESSION_TABLES: &str = "
    CREATE TABLE IF NOT EXISTS session (
        key BLOB PRIMARY KEY, bytes BLOB NOT NULL, version INTEGER NOT NULL, expires INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS session_expires ON session (expires);
    CREATE TABLE IF NOT EXISTS tally (one INTEGER PRIMARY KEY CHECK (one = 1), len INTEGER, versions INTEGER) STRICT;
    INSERT OR IGNORE INTO tally VALUES (1, 0, 0);
    CREATE TRIGGER IF NOT EXISTS session_comes AFTER INSERT ON session BEGIN UPDATE tally SET len = len + 1; END;
    CREATE TRIGGER IF NOT EXISTS session_goes AFTER DELETE ON session BEGIN UPDATE tally SET len = len - 1; END;
";

/// Keeps entries in a SQLite file. Every process of this computer that opens the file sees them.
///
/// The file holds digests of the keys, so that a reader of the file cannot take over a session.
///
/// ```
/// use hooks_sdk::store::SqliteStore;
///
/// # fn open(folder: &std::path::Path) -> Result<(), hooks_sdk::store::StoreError> {
/// let store = SqliteStore::open(folder.join("sessions.db"))?;
/// # Ok(())
/// # }
/// ```
pub struct SqliteStore {
    connection: Arc<Mutex<Connection>>,
    capacity: usize,
}

impl SqliteStore {
    /// Opens the file, and creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// The file cannot be opened, is not a SQLite file, or was written by a newer version of this SDK.
    pub fn open(path: impl AsRef<Path>) -> Result<SqliteStore, StoreError> {
        let path = path.as_ref();
        let connection = prepare(path)
            .map_err(|error| StoreError::unreachable(format!("`{}`: {error}", path.display())))?;
        let layout =
            connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
        match layout.map_err(StoreError::unreachable)? {
            LAYOUT => {}
            other => {
                let path = path.display();
                return Err(StoreError::unreachable(format!(
                    "`{path}` has layout {other}, and this program reads layout {LAYOUT}; use another file"
                )));
            }
        }
        Ok(SqliteStore::over(connection))
    }

    /// Makes a store in a file that has the [`SESSION_TABLES`].
    #[doc(hidden)]
    pub fn over(connection: Connection) -> SqliteStore {
        SqliteStore {
            connection: Arc::new(Mutex::new(connection)),
            capacity: CAPACITY,
        }
    }

    /// Sets the capacity: at most this number of live entries. Together they have at most 1 KiB for each of that number, or
    /// 64 MiB if that is more. The default is 1,000,000.
    #[must_use]
    pub fn with_capacity(mut self, capacity: usize) -> SqliteStore {
        self.capacity = capacity;
        self
    }

    /// Runs `work` on a thread where blocking is allowed.
    fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let connection = self.connection.clone();
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(move || work(&mut lock(&connection)));
            done.await
                .map_err(StoreError::unreachable)?
                .map_err(StoreError::unreachable)
        })
    }
}

fn prepare(path: &Path) -> rusqlite::Result<Connection> {
    let mut connection = sqlite::connect(path)?;
    // Two processes may get here at once: the first to begin the transaction creates the tables.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if transaction.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))? == 0 {
        transaction.execute_batch(SESSION_TABLES)?;
        transaction.pragma_update(None, "user_version", LAYOUT)?;
    }
    transaction.commit()?;
    Ok(connection)
}

impl Store for SqliteStore {
    fn load<'a>(&'a self, key: &'a Key) -> StoreFuture<'a, Option<Stored>> {
        let digest = digest(key);
        self.run(move |connection| find(connection, &digest, now()))
    }

    fn compare_and_swap<'a>(
        &'a self,
        key: &'a Key,
        expected: Option<EntryVersion>,
        bytes: Bytes,
        ttl: Duration,
    ) -> StoreFuture<'a, Swap> {
        if let Err(error) = bytes.check_size() {
            return Box::pin(async { Err(error) });
        }
        let digest = digest(key);
        let capacity = self.capacity;
        let swapped = self.run(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let now = now();
            let live = find(&transaction, &digest, now)?;
            if live.as_ref().map(|stored| stored.version) != expected {
                return Ok(Some(Swap::Conflict(live)));
            }
            if live.is_none() {
                transaction
                    .prepare_cached("DELETE FROM session WHERE expires <= ?1")?
                    .execute([now])?;
                let len: i64 = transaction
                    .prepare_cached("SELECT len FROM tally")?
                    .query_row([], |row| row.get(0))?;
                if usize::try_from(len).unwrap_or_default() >= capacity {
                    transaction.commit()?;
                    return Ok(None);
                }
            }
            let grows =
                live.is_none_or(|live| live.bytes.as_slice().len() < bytes.as_slice().len());
            if grows && is_full(&transaction, capacity)? {
                transaction.commit()?;
                return Ok(None);
            }
            let version: i64 = transaction
                .prepare_cached("UPDATE tally SET versions = versions + 1 RETURNING versions")?
                .query_row([], |row| row.get(0))?;
            let expires = now.saturating_add(i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX));
            transaction
                .prepare_cached(
                    "INSERT INTO session VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (key) DO UPDATE SET bytes = ?2, version = ?3, expires = ?4",
                )?
                .execute(params![digest, bytes.as_slice(), version, expires])?;
            transaction.commit()?;
            Ok(Some(Swap::Done(EntryVersion(version as u64))))
        });
        Box::pin(async move { swapped.await?.ok_or(StoreError::Full(capacity)) })
    }

    fn delete<'a>(&'a self, key: &'a Key, version: Option<EntryVersion>) -> StoreFuture<'a, ()> {
        let digest = digest(key);
        let version = version.map(|version| version.0 as i64);
        self.run(move |connection| {
            connection
                .prepare_cached(
                    "DELETE FROM session WHERE key = ?1 AND version = ifnull(?2, version)",
                )?
                .execute(params![digest, version])
                .map(|_| ())
        })
    }
}

/// Returns whether the pages of the file that are in use have as many bytes as a store of this capacity may have.
fn is_full(connection: &Connection, capacity: usize) -> rusqlite::Result<bool> {
    let fact = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let used = (fact("page_count")? - fact("freelist_count")?) * fact("page_size")?;
    Ok(usize::try_from(used).unwrap_or_default() >= most_bytes(capacity))
}

fn find(connection: &Connection, digest: &[u8; 32], now: i64) -> rusqlite::Result<Option<Stored>> {
    connection
        .prepare_cached(
            "SELECT bytes, version, expires FROM session WHERE key = ?1 AND expires > ?2",
        )?
        .query_row(params![digest, now], |row| {
            Ok(Stored {
                bytes: Bytes::from(row.get_ref(0)?.as_blob()?),
                version: EntryVersion(row.get::<_, i64>(1)? as u64),
                left: Duration::from_millis(row.get::<_, i64>(2)?.abs_diff(now)),
            })
        })
        .optional()
}

/// Returns the milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

debugs!(SqliteStore { capacity });
