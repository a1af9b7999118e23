//! Where the database is and how its connection is made.

use std::{
    fs, io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags};

use super::{
    error::{Error, Trouble},
    schema,
};

/// How the store uses its database.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// How long a call waits for another process before it answers that the database is locked.
    pub busy_timeout: Duration,
    /// The most pages (of 4096 bytes) the file may grow to.
    pub max_pages: Option<u32>,
    /// How long a reminder that was pushed and not taken waits for its next attempt; twice as long after each
    /// further one, up to 64 times.
    ///
    /// Longer than a push is waited for: meanwhile nobody else pushes it.
    pub retry_after: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            busy_timeout: Duration::from_secs(5),
            max_pages: None,
            retry_after: Duration::from_secs(60),
        }
    }
}

/// The database file of this user: in the data folder that the system has for programs.
///
/// `$XDG_DATA_HOME` or `~/.local/share` on Linux, `~/Library/Application Support` on macOS,
/// `%LOCALAPPDATA%` on Windows; `None` where there is no home.
#[must_use]
pub fn default_path() -> Option<PathBuf> {
    Some(dirs::data_local_dir()?.join("memory-server/memory.db"))
}

#[derive(Debug)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) options: Options,
}

impl Place {
    pub(super) fn connect(&self) -> Result<Connection, Error> {
        // SQLite does not call its busy handler while a file is switched to WAL, so two processes
        // that make the same file at once must be told apart from a real lock here.
        let deadline = Instant::now() + self.options.busy_timeout;
        loop {
            match self.attempt() {
                Err(e) if e.trouble() == Some(Trouble::Locked) && Instant::now() < deadline => {
                    thread::sleep(Duration::from_millis(20));
                }
                outcome => return outcome.map_err(|e| e.at(&self.path)),
            }
        }
    }

    fn attempt(&self) -> Result<Connection, Error> {
        // Absolute, and without URIs: `:memory:` or `file:…` would be no file that stays.
        let path = std::path::absolute(&self.path).map_err(|e| unreachable(&self.path, &e))?;
        make_folder(&path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(self.options.busy_timeout)?;
        // A commit that was answered survives a power cut; WAL's own default would not promise it.
        connection.pragma_update(None, "synchronous", "FULL")?;
        let mode: String =
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
        if mode != "wal" {
            tracing::warn!(path = %self.path.display(), mode, "the file system does not allow WAL");
        }
        if let Some(pages) = self.options.max_pages {
            connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
        }
        schema::migrate(&mut connection)?;
        Ok(connection)
    }
}

/// Makes the folders that are missing, for this user alone: memories are private.
fn make_folder(path: &Path) -> Result<(), Error> {
    let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) else {
        return Ok(());
    };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| unreachable(folder, &e))
}

fn unreachable(path: &Path, error: &io::Error) -> Error {
    tracing::error!(path = %path.display(), %error, "cannot be used");
    Error::storage(Trouble::Unreachable)
}
