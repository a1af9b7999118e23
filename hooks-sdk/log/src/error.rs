//! Why a line is not in the log.

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use hooks_text::condition::ConditionFault;

/// A line is not in the log, or a log cannot be opened.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The file cannot be written.
    #[error("cannot write the decision log to `{}`: {error}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What the operating system returned.
        error: Arc<io::Error>,
    },
    /// The writer is behind: its queue has no room, or a line was not written in time.
    #[error("the decision log is behind: {wrong}")]
    Behind {
        /// What is wrong.
        wrong: &'static str,
    },
    /// Another process holds the lock of a user's chain.
    #[error("another process held `{}` for {} ms; end that process", lock.display(), waited.as_millis())]
    Locked {
        /// The file that is locked.
        lock: PathBuf,
        /// How long this process waited.
        waited: Duration,
    },
    /// The keys cannot be read.
    #[error("the keys of the decision log: {0}")]
    Keys(String),
    /// A mask is no path.
    #[error("`{0}` is no mask, column {column}: {message}; write a path such as `arguments.password`", column = .1.column, message = .1.message)]
    Mask(String, ConditionFault),
    /// The operating system returned no random bytes, or started no thread.
    #[error("the decision log cannot start: {0}")]
    Start(Arc<io::Error>),
}
