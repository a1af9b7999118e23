//! Why a hook's text could not be loaded.

use std::{io, sync::Arc};

use thiserror::Error;

use crate::core::text::MAX_TEXT;

/// Why a hook's text could not be loaded; the file is named as it stands below the base directory.
///
/// Implements the Hooks System document, "Failure Handling".
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no such file.
    #[error("`{0}` does not exist")]
    NotFound(Box<str>),
    /// It is a directory.
    #[error("`{0}` is a directory")]
    Directory(Box<str>),
    /// It is neither a file nor a directory.
    #[error("`{0}` is no ordinary file")]
    NotAFile(Box<str>),
    /// It is not below the base directory, or a link leads out of it.
    #[error("`{0}` leads out of the folder of hook texts")]
    Outside(Box<str>),
    /// It is longer than a hook's text may be.
    #[error("`{0}` is longer than {MAX_TEXT} bytes")]
    TooLong(Box<str>),
    /// It is not UTF-8.
    #[error("`{file}` is not UTF-8 (byte {at})")]
    NotUtf8 {
        /// The file.
        file: Box<str>,
        /// The offset of the first byte that is not.
        at: usize,
    },
    /// Anything else that the system reports.
    #[error("`{file}` cannot be read: {error}")]
    Io {
        /// The file.
        file: Box<str>,
        /// What the system says.
        error: Arc<io::Error>,
    },
    /// Whoever makes the text at run time failed.
    #[error("{0}")]
    Failed(Box<str>),
}

impl LoadError {
    pub(super) fn io(file: &str, error: io::Error) -> LoadError {
        let file = file.into();
        match error.kind() {
            io::ErrorKind::NotFound => LoadError::NotFound(file),
            io::ErrorKind::IsADirectory => LoadError::Directory(file),
            _ => LoadError::Io {
                file,
                error: Arc::new(error),
            },
        }
    }
}
