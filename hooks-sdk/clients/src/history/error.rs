//! The errors of the hook store.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use thiserror::Error;

use super::layout::LAYOUT;

/// Why an operation of the hook store failed. A caller that delivers a text ignores it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HookStoreError {
    /// Another process holds the lock for too long.
    #[error("the hook store `{}` is locked by another process; try again when that has ended", .0.display())]
    Busy(PathBuf),
    /// A newer version has written the file.
    #[error(
        "the hook store `{}` has layout {found}, and this program reads layout {LAYOUT}; update the program, or \
         move the file away",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The number of its layout.
        found: i64,
    },
    /// The file is not a hook store.
    #[error("`{}` is another program's file, not a hook store; name another path", .0.display())]
    Foreign(PathBuf),
    /// The file is a damaged hook store.
    #[error(
        "the hook store `{}` is damaged; delete it, with `-wal` and `-shm` beside it; the program then creates a \
         new one",
        .0.display()
    )]
    Damaged(PathBuf),
    /// The file cannot be opened, read or written.
    #[error(
        "the hook store `{}` cannot be used: {source}; check that the file and its folder are writable, and \
         that the disk has room",
        path.display()
    )]
    Failed {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl HookStoreError {
    pub(super) fn of(path: &Path, error: rusqlite::Error) -> HookStoreError {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => HookStoreError::Busy(path),
            Some(ErrorCode::NotADatabase) => HookStoreError::Foreign(path),
            Some(ErrorCode::DatabaseCorrupt) => HookStoreError::Damaged(path),
            _ => HookStoreError::Failed {
                path,
                source: error.into(),
            },
        }
    }

    pub(super) fn failed(
        path: &Path,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> HookStoreError {
        HookStoreError::Failed {
            path: path.to_owned(),
            source: source.into(),
        }
    }
}
