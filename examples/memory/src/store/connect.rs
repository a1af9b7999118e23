//! A SQLite file: where it is, how its connection is made, and how calls share it.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags};
use tokio::sync::Mutex;

use super::{
    database::Db,
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

/// A file and its connection.
#[derive(Debug)]
pub(super) struct File {
    place: Arc<Place>,
    /// `None` until the file could be opened, and again after it was found damaged, so that a
    /// mended file is picked up without a restart.
    connection: Arc<Mutex<Option<Connection>>>,
}

impl File {
    pub(super) fn new(path: &Path, options: Options) -> Self {
        Self {
            place: Arc::new(Place {
                path: path.to_owned(),
                options,
            }),
            connection: Arc::default(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.place.path
    }

    pub(super) fn options(&self) -> &Options {
        &self.place.options
    }

    pub(super) fn open(&mut self) -> Result<(), Error> {
        let connection = self.place.connect()?;
        self.connection = Arc::new(Mutex::new(Some(connection)));
        Ok(())
    }

    /// Runs blocking work on the connection, away from the async threads.
    ///
    /// The lock is taken before the blocking thread, so that waiting calls queue here, in order, and
    /// do not each hold a thread. The work is finished even if the caller goes away.
    pub(super) async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(Db<'_>) -> Result<T, Error> + Send + 'static,
    {
        let mut slot = Arc::clone(&self.connection).lock_owned().await;
        let place = Arc::clone(&self.place);
        let done = tokio::task::spawn_blocking(move || {
            let outcome = match &*slot {
                Some(connection) => work(Db(connection)),
                None => place.connect().and_then(|new| work(Db(slot.insert(new)))),
            };
            let trouble = outcome.as_ref().err().and_then(Error::trouble);
            if trouble == Some(Trouble::Corrupt) {
                *slot = None;
            }
            outcome.map_err(|error| error.at(&place.path))
        });
        let outcome = done.await.unwrap_or_else(|lost| {
            // A server that ends begins no operation that waits.
            if lost.is_panic() {
                tracing::error!(%lost, "a store operation panicked");
            }
            Err(Error::storage(Trouble::Other).at(&self.place.path))
        });
        if let Err(error) = &outcome
            && error.trouble().is_some()
        {
            tracing::warn!(%error);
        }
        outcome
    }
}

#[derive(Debug)]
struct Place {
    path: PathBuf,
    options: Options,
}

impl Place {
    fn connect(&self) -> Result<Connection, Error> {
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
