//! Why a hook's text could not be loaded.

use std::{io, sync::Arc};

use thiserror::Error;

use crate::text::MAX_TEXT;

/// Why a hook's text could not be loaded. The file is relative to the base directory.
///
/// Implements the Hooks System document, "Failure Handling".
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file does not exist.
    #[error("`{0}` does not exist")]
    NotFound(Box<str>),
    /// The file is a directory.
    #[error("`{0}` is a directory")]
    Directory(Box<str>),
    /// The path is neither a file nor a directory.
    #[error("`{0}` is no ordinary file")]
    NotAFile(Box<str>),
    /// The file is not below the base directory, or a link leads out of it.
    #[error("`{0}` leads out of the folder of hook texts")]
    Outside(Box<str>),
    /// The file is longer than 32 KiB.
    #[error("`{0}` is longer than {MAX_TEXT} bytes")]
    TooLong(Box<str>),
    /// The file is not UTF-8.
    #[error("`{file}` is not UTF-8 (byte {at})")]
    NotUtf8 {
        /// The file.
        file: Box<str>,
        /// The offset of the first byte that is not UTF-8.
        at: usize,
    },
    /// The system reported another error.
    #[error("`{file}` cannot be read: {error}")]
    Io {
        /// The file.
        file: Box<str>,
        /// The system's error.
        error: Arc<io::Error>,
    },
    /// The function that makes the text failed.
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
