//! The settings of a log, in Rust and in a policy file.

use std::{path::PathBuf, time::Duration};

use hooks_core::Posture;
use serde::Deserialize;

use crate::{LogError, LogKeys, mask::mask};

/// The settings of a log, as the part `log` of a policy file has them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LogSettings {
    /// The file. It is created with the first line, its folder is not.
    pub file: PathBuf,
    /// What happens to a call when its line cannot be written. With `deny` the call waits for its first line, and is refused
    /// without it. With `proceed` it does not wait, and the lines that are missing are counted. There is no default.
    pub posture: Posture,
    /// The file with the keys that sign. Without it, the variable `HOOKS_LOG_KEYS` has them; without both, nothing is signed.
    #[serde(default)]
    pub key_file: Option<PathBuf>,
    /// The size at which the file is put aside, in bytes. The default is 10 MiB.
    #[serde(default = "ten_mebibytes")]
    pub max_bytes: u64,
    /// How many files that were put aside are kept. The default is 5.
    #[serde(default = "five")]
    pub keep: usize,
    /// Whether each line is synchronised to the disk before it counts as written.
    #[serde(default)]
    pub fsync: bool,
    /// Whether lines have arguments and answers.
    #[serde(default)]
    pub contents: bool,
    /// Paths in a line whose values are not written, as in conditions: `arguments.password`, `answer.content[*].email`.
    #[serde(default)]
    pub masks: Vec<String>,
    /// How long a call waits for its first line. The default is 5 seconds. A policy file has no such member.
    #[serde(skip, default = "five_seconds")]
    pub patience: Duration,
}

const fn ten_mebibytes() -> u64 {
    10 * 1024 * 1024
}

const fn five() -> usize {
    5
}

const fn five_seconds() -> Duration {
    Duration::from_secs(5)
}

impl LogSettings {
    /// Returns the default settings for a file.
    pub fn new(file: impl Into<PathBuf>, posture: Posture) -> LogSettings {
        LogSettings {
            file: file.into(),
            posture,
            key_file: None,
            max_bytes: ten_mebibytes(),
            keep: five(),
            fsync: false,
            contents: false,
            masks: Vec::new(),
            patience: five_seconds(),
        }
    }

    /// Reads the keys.
    pub(crate) fn keys(&self) -> Result<LogKeys, LogError> {
        match &self.key_file {
            Some(file) => LogKeys::read(file),
            None => LogKeys::from_environment(),
        }
    }

    /// Reads the masks.
    pub(crate) fn masks(&self) -> Result<Vec<hooks_text::condition::Path>, LogError> {
        self.masks.iter().map(|path| mask(path)).collect()
    }
}
