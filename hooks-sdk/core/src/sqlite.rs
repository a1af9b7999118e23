//! Opens a SQLite file that several processes use.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode};

/// How long to wait for another process's write.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens or creates the file, with a write-ahead log.
///
/// If the machine crashes, the last writes may be lost; the file stays intact.
pub fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    let until = Instant::now() + PATIENCE;
    // If two processes set the journal of a new file at the same time, SQLite lets one of them fail, to avoid a deadlock.
    while let Err(error) = connection.pragma_update(None, "journal_mode", "wal") {
        if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) || Instant::now() > until {
            return Err(error);
        }
        thread::sleep(Duration::from_millis(5));
    }
    connection.pragma_update(None, "synchronous", "normal")?;
    Ok(connection)
}
