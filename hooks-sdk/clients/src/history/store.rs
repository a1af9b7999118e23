//! The hook store: one SQLite file that short-lived hook processes and the running server share.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{HookStoreError, layout};
use hooks_core::store::{MemoryStore, SqliteStore, Store};

/// The environment variable that switches receipts off, if its value is `off`.
pub const RECEIPTS_VARIABLE: &str = "HOOKS_RECEIPTS";

/// The time-out of a call.
const PATIENCE: Duration = Duration::from_millis(50);

/// The time after a time-out in which calls do not wait again, so that several calls do not add up.
const REST: Duration = Duration::from_millis(250);

/// Keeps firings and marks, by session.
///
/// - A session is named by the client's own id. An empty id is not a session: only its firings are kept.
/// - Every method waits at most 50 ms, and none panics. A caller that delivers a text ignores the errors.
/// - In an `async` function of a server, call the methods from `spawn_blocking`.
#[derive(Debug)]
pub struct HookStore {
    /// `None` if nothing is kept.
    path: Option<PathBuf>,
    pub(super) receipts: bool,
    guarded: Mutex<StoreLock>,
}

#[derive(Debug, Default)]
struct StoreLock {
    connection: Option<Connection>,
    shut_until: Option<Instant>,
}

impl HookStore {
    /// Makes a hook store in this file. The first call that needs the file opens or creates it.
    pub fn open(path: impl Into<PathBuf>) -> HookStore {
        HookStore {
            path: Some(path.into()),
            receipts: true,
            guarded: Mutex::default(),
        }
    }

    /// Makes a hook store without a file. It keeps nothing: every firing is the first of its session.
    pub fn off() -> HookStore {
        HookStore {
            path: None,
            ..HookStore::open("")
        }
    }

    /// Sets whether receipts are kept. Default: they are kept.
    ///
    /// Without receipts, the file still has marks, the state of sessions, and the time of each hook's last firing in a
    /// session, which hooks need to avoid repetition.
    #[must_use]
    pub fn receipts(mut self, kept: bool) -> HookStore {
        self.receipts = kept;
        self
    }

    /// Returns the file, if the store has one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns a store for sessions in the same file, for a [`Ledger`](hooks_core::session::Ledger). Without a file, it is in
    /// memory.
    ///
    /// `patience` is how long a call waits for another process. A server's gate refuses a call whose state it cannot
    /// read, so a server should wait for seconds; a hook's process should not. Opens or creates the file at once.
    ///
    /// # Errors
    ///
    /// The file cannot be used.
    pub fn sessions(&self, patience: Duration) -> Result<Arc<dyn Store>, HookStoreError> {
        let Some(path) = &self.path else {
            return Ok(Arc::new(MemoryStore::new()));
        };
        let connection = self.connect()?;
        connection
            .busy_timeout(patience)
            .map_err(|error| HookStoreError::of(path, error))?;
        Ok(Arc::new(SqliteStore::over(connection)))
    }

    /// Makes a separate connection, for work that takes longer.
    pub(super) fn connect(&self) -> Result<Connection, HookStoreError> {
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        layout::open(path, Instant::now() + PATIENCE)
    }

    pub(super) fn write<T>(
        &self,
        off: T,
        longest_log: u64,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, HookStoreError> {
        let Some(path) = &self.path else {
            return Ok(off);
        };
        self.run(off, |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            // The write is done, whatever the result of this.
            _ = layout::tidy(connection, path, longest_log);
            Ok(done)
        })
    }

    /// Runs `work` on the file. Returns `off` if there is no file.
    pub(super) fn run<T>(
        &self,
        off: T,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, HookStoreError> {
        let Some(path) = &self.path else {
            return Ok(off);
        };
        let mut guarded = self.guarded();
        let began = Instant::now();
        if guarded.shut_until.is_some_and(|until| began < until) {
            return Err(HookStoreError::Busy(path.clone()));
        }
        let done = guarded.work(path, began + PATIENCE, work);
        match &done {
            Ok(_) => guarded.shut_until = None,
            Err(HookStoreError::Busy(_)) => guarded.shut_until = Some(Instant::now() + REST),
            // The file may be replaced before the next call.
            Err(_) => guarded.connection = None,
        }
        done
    }

    fn guarded(&self) -> MutexGuard<'_, StoreLock> {
        self.guarded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StoreLock {
    fn work<T>(
        &mut self,
        path: &Path,
        until: Instant,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, HookStoreError> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(layout::open(path, until)?),
        };
        layout::patience(connection, until)
            .and_then(|()| work(connection))
            .map_err(|error| HookStoreError::of(path, error))
    }
}

/// Returns whether a value of [`RECEIPTS_VARIABLE`] switches receipts off: `off`, `no`, `false` or `0`.
pub fn is_off(value: Option<&OsStr>) -> bool {
    let value = value.and_then(OsStr::to_str).unwrap_or_default().trim();
    ["off", "no", "false", "0"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word))
}
