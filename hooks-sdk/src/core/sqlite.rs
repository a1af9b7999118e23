//! A SQLite file that several processes use.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode};

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens the file, or makes it, with a write-ahead log.
///
/// Such a log loses at most the last writes in a crash of the machine, and breaks nothing.
pub(crate) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    let until = Instant::now() + PATIENCE;
    // Two that set the journal of a new file at once would wait for each other for ever, so that SQLite lets one fail.
    while let Err(error) = connection.pragma_update(None, "journal_mode", "wal") {
        if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) || Instant::now() > until {
            return Err(error);
        }
        thread::sleep(Duration::from_millis(5));
    }
    connection.pragma_update(None, "synchronous", "normal")?;
    Ok(connection)
}
