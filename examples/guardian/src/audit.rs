//! The audit log: one line of JSON for each decision.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    sync::{Mutex, PoisonError},
};

/// A file to which lines are added.
///
/// A guardian that is killed while it writes leaves the beginning of a line, whose decision was never answered. The next line
/// does not continue it.
#[derive(Debug)]
pub struct Audit(Mutex<Lines>);

#[derive(Debug)]
struct Lines {
    file: File,
    /// Whether the file ends with the beginning of a line.
    torn: bool,
}

impl Audit {
    /// Opens the file, or makes it. On Unix only its owner can read a new one.
    ///
    /// # Errors
    ///
    /// The file cannot be opened for reading and writing.
    pub fn open(path: &Path) -> io::Result<Audit> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        let torn = ends_torn(&mut file)?;
        if torn {
            tracing::warn!(path = %path.display(), "the last line of the audit log is not whole");
        }
        Ok(Audit(Mutex::new(Lines { file, torn })))
    }

    /// Adds a line. A line that cannot be written is in the program's log; the decision stays as it is.
    pub fn write(&self, line: &str) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let end_of_torn = if lines.torn { "\n" } else { "" };
        // One write for the whole line: several guardians may share a file.
        let written = lines
            .file
            .write_all(format!("{end_of_torn}{line}\n").as_bytes());
        lines.torn = written.is_err();
        if let Err(error) = written {
            tracing::error!(%error, line, "a decision is not in the audit log");
        }
    }
}

/// Returns whether the last line of the file has no end.
fn ends_torn(file: &mut File) -> io::Result<bool> {
    // A pipe or a terminal has no length, and no lines of an earlier guardian.
    if !file.metadata()?.is_file() || file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Audit;

    #[test]
    fn a_line_that_a_killed_guardian_began_is_not_continued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        Audit::open(&path).unwrap().write("{\"first\":1}");
        fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .and_then(|mut file| {
                use std::io::Write;
                file.write_all(b"{\"torn\":")
            })
            .unwrap();
        let audit = Audit::open(&path).unwrap();
        audit.write("{\"second\":2}");
        audit.write("{\"third\":3}");
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "{\"first\":1}",
                "{\"torn\":",
                "{\"second\":2}",
                "{\"third\":3}"
            ]
        );
    }
}
