//! What can go wrong in the store, said so that one edit mends it.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

type Source = Box<dyn std::error::Error + Send + Sync>;

/// Why a store operation did nothing.
///
/// The text has two lines: what is wrong and where, then `help:` with the one thing that mends it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller's input cannot be used.
    #[error("{what}\nhelp: {help}")]
    Refused {
        /// What is wrong, with the caller's own words.
        what: String,
        /// The edit that makes the call work.
        help: String,
    },
    /// The database could not be used.
    #[error("{} {}\nhelp: {}", kind.describe(path), reason(source.as_ref()), kind.help())]
    Storage {
        /// The kind of trouble.
        kind: Trouble,
        /// The file.
        path: PathBuf,
        /// What the database said.
        source: Option<Source>,
    },
    /// Reading an import or writing an export failed.
    #[error("cannot {doing}: {source}\nhelp: check the file or pipe, then run the command again")]
    Stream {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}

/// The kinds of trouble a database can be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trouble {
    /// Another process held the database for longer than the busy timeout.
    Locked,
    /// The file is damaged or is no SQLite database.
    Corrupt,
    /// The file or its folder cannot be written.
    ReadOnly,
    /// There is no room for more.
    Full,
    /// The file or its folder cannot be opened or made.
    Unreachable,
    /// A later version of this program wrote it.
    TooNew,
    /// It belongs to another program.
    Foreign,
    /// Anything else that the database or the system reports.
    Other,
}

impl Trouble {
    fn describe(self, path: &Path) -> String {
        let database = path.display();
        match self {
            Self::Locked => {
                format!("the memory database `{database}` is locked by another process")
            }
            Self::Corrupt => {
                format!("the memory database `{database}` is damaged or not a database")
            }
            Self::ReadOnly => format!("the memory database `{database}` cannot be written"),
            Self::Full => format!("there is no room left for the memory database `{database}`"),
            Self::Unreachable => format!("the memory database `{database}` cannot be opened"),
            Self::TooNew => format!("a newer memory-server wrote the memory database `{database}`"),
            Self::Foreign => format!("`{database}` is the database of another program"),
            Self::Other => format!("the memory database `{database}` failed"),
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::Locked => {
                "nothing was changed; call again, or end the process that holds the file"
            }
            Self::Corrupt => {
                "nothing was changed; move the file away and `memory-server import` an export, or restore a backup"
            }
            Self::ReadOnly => {
                "nothing was changed; make the file and its folder writable, or name another file with `--database`"
            }
            Self::Full => "nothing was changed; free some space, then call again",
            Self::Unreachable => {
                "check that the folder exists and is yours, or name another file with `--database`"
            }
            Self::TooNew => {
                "update memory-server to at least the version that wrote the file, or name another file with `--database`"
            }
            Self::Foreign => "name another file with `--database`",
            Self::Other => "nothing was changed; call again, and restart memory-server if it stays",
        }
    }
}

fn reason(source: Option<&Source>) -> String {
    source.map(|e| format!("({e})")).unwrap_or_default()
}

impl Error {
    /// Input that cannot be used, and the edit that mends it.
    pub(crate) fn refused(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Refused {
            what: what.into(),
            help: help.into(),
        }
    }

    pub(crate) fn storage(kind: Trouble) -> Self {
        Self::Storage {
            kind,
            path: PathBuf::new(),
            source: None,
        }
    }

    /// Trouble of a kind, and what the database said.
    pub(super) fn caused(kind: Trouble, source: impl Into<Source>) -> Self {
        Self::Storage {
            kind,
            path: PathBuf::new(),
            source: Some(source.into()),
        }
    }

    /// Names the file, which the functions below the connection do not know.
    pub(crate) fn at(self, path: &Path) -> Self {
        match self {
            Self::Storage { kind, source, .. } => Self::Storage {
                kind,
                path: path.to_owned(),
                source,
            },
            other => other,
        }
    }

    /// The kind of trouble the database is in, if the database is the cause.
    #[must_use]
    pub fn trouble(&self) -> Option<Trouble> {
        match self {
            Self::Storage { kind, .. } => Some(*kind),
            _ => None,
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(source: rusqlite::Error) -> Self {
        let kind = match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Trouble::Locked,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Trouble::Corrupt,
            Some(ErrorCode::ReadOnly) => Trouble::ReadOnly,
            Some(ErrorCode::DiskFull) => Trouble::Full,
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => Trouble::Unreachable,
            _ => Trouble::Other,
        };
        Self::caused(kind, source)
    }
}
