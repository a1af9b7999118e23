//! The file: how it is opened, and how it is made.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io,
    path::Path,
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rusqlite::{
    Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, config::DbConfig,
};

use super::HookStoreError;
use hooks_core::store::SESSION_TABLES;

/// `hook` in ASCII: tells a hook store from other SQLite files.
const APPLICATION: i64 = 0x686F_6F6B;

/// The layout's number in `user_version`, which is none of a plain session store's.
pub(super) const LAYOUT: i64 = 101;

/// Receipts stand beside the others of their session, so that entering one changes one page.
const CREATE: &str = "
    CREATE TABLE firing (
        session TEXT NOT NULL, n INTEGER NOT NULL, hook TEXT NOT NULL, client TEXT NOT NULL, event TEXT NOT NULL,
        at INTEGER NOT NULL, characters INTEGER NOT NULL, delivered INTEGER NOT NULL, content TEXT,
        PRIMARY KEY (session, n)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE mark (
        session TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (session, name)
    ) STRICT, WITHOUT ROWID;
";

/// With a write-ahead log a crash of the machine loses at most the last receipts, and breaks nothing. SQLite's
/// own checkpoint goes by what it remembers of the last one, which processes that come alone do not.
const SETTINGS: &str = "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;";

/// A process that comes alone reads the whole log, which is a fraction of a millisecond for so many bytes.
pub(super) const LONGEST_LOG: u64 = 256 * 1024;

/// Every write adds whole pages to the log, and a receipt is short.
const PAGE: i64 = 1024;

/// Opens the file, and makes it where there is none.
pub(super) fn open(path: &Path, until: Instant) -> Result<Connection, HookStoreError> {
    loop {
        // SQLite does not wait in every case, such as when two processes change the journal's mode.
        match prepare(path, until) {
            Err(HookStoreError::Busy(_)) if Instant::now() < until => {
                thread::sleep(Duration::from_millis(1));
            }
            done => return done,
        }
    }
}

/// Waits for a writing process, at most until `until`.
pub(super) fn patience(connection: &Connection, until: Instant) -> rusqlite::Result<()> {
    connection.busy_timeout(until.saturating_duration_since(Instant::now()))
}

/// Writes the log back into the file and empties it, when it has grown longer than this.
///
/// This waits for the disk, once in a hundred writes or more. It does not wait for other processes: if another process
/// is reading, it is left to the next write.
pub(super) fn tidy(connection: &Connection, path: &Path, longest: u64) -> rusqlite::Result<()> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if fs::metadata(log).is_ok_and(|log| log.len() > longest) {
        connection.busy_timeout(Duration::ZERO)?;
        empty_log(connection)?;
    }
    Ok(())
}

/// Writes the log back into the file and empties it.
pub(super) fn empty_log(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

fn prepare(path: &Path, until: Instant) -> Result<Connection, HookStoreError> {
    let failed = |error| HookStoreError::of(path, error);
    let mut connection = connect_or_make(path)?;
    patience(&connection, until).map_err(failed)?;
    // A checkpoint waits for the disk; the running server has time for it, and the next process need not.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .map_err(failed)?;
    connection.execute_batch(SETTINGS).map_err(failed)?;
    match kind(&mut connection).map_err(failed)? {
        (APPLICATION, LAYOUT) => {}
        (0, 0) => create(&mut connection, path)?,
        kind => return Err(refused(kind, path)),
    }
    Ok(connection)
}

/// When a process closes a file, it loses every lock that it holds there, also through other descriptors
/// (`close` in POSIX). So no connection of this process may be in use while the file is made.
static MAKING: Mutex<()> = Mutex::new(());

fn connect_or_make(path: &Path) -> Result<Connection, HookStoreError> {
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    // A connection stands behind a mutex of ours.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connect = || Connection::open_with_flags(path, flags);
    match connect() {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
            make(path).map_err(|error| HookStoreError::failed(path, error))?;
            connect()
        }
        done => done,
    }
    .map_err(|error| HookStoreError::of(path, error))
}

/// Makes an empty file that its user alone may read, and the folders above it likewise; SQLite gives the
/// files beside it the same mode.
fn make(path: &Path) -> io::Result<()> {
    let mut folders = DirBuilder::new();
    let mut file = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        folders.mode(0o700);
        file.mode(0o600);
    }
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        folders.recursive(true).create(folder)?;
    }
    match file.write(true).create_new(true).open(path) {
        // Another process has made it meanwhile, or it is there and cannot be opened.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        done => done.map(drop),
    }
}

/// Returns the file's two numbers, as they stood at one moment: another process may be writing them.
fn kind(connection: &mut Connection) -> rusqlite::Result<(i64, i64)> {
    numbers(&connection.transaction()?)
}

fn numbers(transaction: &Transaction<'_>) -> rusqlite::Result<(i64, i64)> {
    let number = |name| transaction.pragma_query_value(None, name, |row| row.get(0));
    Ok((number("application_id")?, number("user_version")?))
}

fn create(connection: &mut Connection, path: &Path) -> Result<(), HookStoreError> {
    let failed = |error| HookStoreError::of(path, error);
    let things: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(failed)?;
    // Between the look at its numbers and this one, another process may have made the hook store.
    if things > 0 && kind(connection).map_err(failed)? == (0, 0) {
        return Err(HookStoreError::Foreign(path.to_owned()));
    }
    connection
        .pragma_update(None, "page_size", PAGE)
        .and_then(|()| connection.pragma_update(None, "journal_mode", "wal"))
        .map_err(failed)?;
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    match numbers(&transaction).map_err(failed)? {
        (0, 0) => {
            let all = format!(
                "{CREATE} {SESSION_TABLES}
                 PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {LAYOUT};"
            );
            transaction.execute_batch(&all).map_err(failed)?;
        }
        (APPLICATION, LAYOUT) => {}
        kind => return Err(refused(kind, path)),
    }
    transaction.commit().map_err(failed)
}

fn refused((application, found): (i64, i64), path: &Path) -> HookStoreError {
    let path = path.to_owned();
    if application == APPLICATION && found > LAYOUT {
        HookStoreError::Newer { path, found }
    } else {
        HookStoreError::Foreign(path)
    }
}
