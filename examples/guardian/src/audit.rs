//! The audit log: one line of JSON for each decision.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
    sync::{Mutex, PoisonError},
};

/// A file to which lines are added.
#[derive(Debug)]
pub struct Audit(Mutex<File>);

impl Audit {
    /// Opens the file, or makes it. On Unix only its owner can read a new one.
    ///
    /// # Errors
    ///
    /// The file cannot be opened for writing.
    pub fn open(path: &Path) -> io::Result<Audit> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Audit(Mutex::new(options.open(path)?)))
    }

    /// Adds a line. A line that cannot be written is in the program's log; the decision stays as it is.
    pub fn write(&self, line: &str) {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // One write for the whole line: several guardians may share a file.
        if let Err(error) = file.write_all(format!("{line}\n").as_bytes()) {
            tracing::error!(%error, line, "a decision is not in the audit log");
        }
    }
}
