//! The hook store: one SQLite file that short-lived hook processes and the running server share.

use std::{
    borrow::Cow,
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{
    HookStoreError, layout,
    receipt::{bounded, digest},
};
use crate::store::{MemoryStore, SqliteStore, Store};

/// The environment variable that switches receipts off, when it is `off`.
pub const RECEIPTS_VARIABLE: &str = "HOOKS_RECEIPTS";

/// How long a call may take.
const PATIENCE: Duration = Duration::from_millis(50);

/// Who waited in vain does not wait again at once, so that several calls together take no longer than one.
const REST: Duration = Duration::from_millis(250);

/// Keeps what fired, what was said and what was called, by session.
///
/// A session is named by the id that its client gives it; an empty id is no session, of which nothing but
/// its firings is kept. Every method waits 50 ms at most, and none panics; a caller whose text must go out
/// passes over the errors. In an `async` function of a server, call from `spawn_blocking`.
#[derive(Debug)]
pub struct HookStore {
    /// `None` where nothing is kept.
    path: Option<PathBuf>,
    pub(super) receipts: bool,
    digests: bool,
    door: Mutex<Door>,
}

#[derive(Debug, Default)]
struct Door {
    connection: Option<Connection>,
    shut_until: Option<Instant>,
}

impl HookStore {
    /// Returns the hook store in this file. The file is opened, or made, by the first call that needs it.
    pub fn open(path: impl Into<PathBuf>) -> HookStore {
        HookStore {
            path: Some(path.into()),
            receipts: true,
            digests: false,
            door: Mutex::default(),
        }
    }

    /// A hook store without a file, which keeps nothing: every firing is the first of its session.
    pub fn off() -> HookStore {
        HookStore {
            path: None,
            ..HookStore::open("")
        }
    }

    /// Whether receipts are kept, which they are unless [`RECEIPTS_VARIABLE`] or the author says otherwise.
    ///
    /// Without them the file still has what hooks need so as not to repeat themselves: marks, session state,
    /// and when each hook fired last in a session.
    #[must_use]
    pub fn receipts(mut self, kept: bool) -> HookStore {
        self.receipts = kept;
        self
    }

    /// Keeps digests in place of the sessions' ids, so that the file does not lead to the client's transcripts.
    ///
    /// All programs that share the file have to agree on it.
    #[must_use]
    pub fn digests(mut self, digests: bool) -> HookStore {
        self.digests = digests;
        self
    }

    /// Returns the file, if there is to be one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The session state in the same file, for [`Ledger`](crate::session::Ledger); in memory where the store is off.
    ///
    /// Its calls wait for another process as long as `patience` says: a server's gate refuses a call whose state it
    /// cannot read, and so waits for seconds; a hook's process does not. The file is opened, or made, at once.
    ///
    /// # Errors
    ///
    /// That the file cannot be used.
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

    /// A connection of its own, for work that takes longer; nobody waits for it here.
    pub(super) fn connect(&self) -> Result<Connection, HookStoreError> {
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        layout::open(path, Instant::now() + PATIENCE)
    }

    /// A session as the file names it.
    pub(super) fn session<'a>(&self, id: &'a str) -> Cow<'a, str> {
        if self.digests && !id.is_empty() {
            Cow::Owned(digest(id))
        } else {
            bounded(id)
        }
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
            // What was written stays written, whatever comes of this.
            _ = layout::tidy(connection, path, longest_log);
            Ok(done)
        })
    }

    /// Does one piece of work in the file; `off` where there is none.
    pub(super) fn run<T>(
        &self,
        off: T,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, HookStoreError> {
        let Some(path) = &self.path else {
            return Ok(off);
        };
        let mut door = self.door();
        let began = Instant::now();
        if door.shut_until.is_some_and(|until| began < until) {
            return Err(HookStoreError::Busy(path.clone()));
        }
        let done = door.work(path, began + PATIENCE, work);
        match &done {
            Ok(_) => door.shut_until = None,
            Err(HookStoreError::Busy(_)) => door.shut_until = Some(Instant::now() + REST),
            // The file may be another one when the next call comes.
            Err(_) => door.connection = None,
        }
        done
    }

    fn door(&self) -> MutexGuard<'_, Door> {
        self.door.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Door {
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
