//! The writing of several files, all or none.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    change::FileChange,
    error::ConfigError,
    file::{self, Content, Refusal},
};

/// The change of one file.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) named: PathBuf,
    pub(super) real: PathBuf,
    pub(super) before: Option<Content>,
    pub(super) after: Option<Vec<u8>>,
    /// Why a file stays that was to be removed.
    pub(super) left: Option<String>,
    /// The number of entries without an id that were taken over.
    pub(super) taken_over: usize,
}

impl Write {
    /// Makes the change of a file, and checks that the file is writable, also for a preview.
    pub(super) fn new(
        named: &Path,
        real: PathBuf,
        before: Option<Content>,
        after: Option<Vec<u8>>,
    ) -> Result<Write, ConfigError> {
        let write = Write {
            named: named.to_owned(),
            real,
            before,
            after,
            left: None,
            taken_over: 0,
        };
        if let Some(content) = write.before.as_ref().filter(|_| write.changes()) {
            file::check_writable(&write.named, &write.real, content)?;
        }
        Ok(write)
    }

    pub(super) fn changes(&self) -> bool {
        self.before.as_ref().map(|content| &content.bytes) != self.after.as_ref()
    }

    pub(super) fn into_change(self) -> FileChange {
        let before = self.before.map(|content| content.bytes);
        let change = FileChange::new(&self.named, before, self.after);
        FileChange {
            left: self.left,
            taken_over: self.taken_over,
            ..change
        }
    }
}

/// Writes the changes. If a file cannot be written, restores those before it.
pub(super) fn write_all<'w>(writes: impl IntoIterator<Item = &'w Write>) -> Result<(), Refusal> {
    let writes: Vec<&Write> = writes.into_iter().filter(|write| write.changes()).collect();
    for (at, write) in writes.iter().enumerate() {
        let replaced = file::replace(
            &write.named,
            &write.real,
            write.before.as_ref(),
            write.after.as_deref(),
        );
        if let Err(refusal) = replaced {
            return Err(put_back(&writes[..at], refusal));
        }
    }
    Ok(())
}

fn put_back(written: &[&Write], mut refusal: Refusal) -> Refusal {
    for write in written.iter().rev() {
        let now = file::read(&write.named, &write.real);
        let ours = |content: Option<&Content>| {
            content.map(|content| content.bytes.as_slice()) == write.after.as_deref()
        };
        let back = match now {
            Ok(now) if ours(now.as_ref()) => {
                // With the previous permissions, even if the file was removed.
                let old = write.before.as_ref().map(|before| before.bytes.as_slice());
                match (&now, &write.before) {
                    (None, Some(before)) => file::restore(&write.named, &write.real, before),
                    _ => file::replace(&write.named, &write.real, now.as_ref(), old),
                }
            }
            Ok(_) => Err(Refusal::Changed(write.named.clone())),
            Err(error) => Err(Refusal::Failed(error)),
        };
        if back.is_err()
            && let Refusal::Failed(error) = refusal
        {
            let file = write.named.display();
            refusal = Refusal::Failed(error.and(&format!("`{file}` could not be restored")));
        }
    }
    refusal
}

/// Folders that are created for files, and removed again unless they are kept.
#[derive(Default)]
pub(super) struct Folders {
    made: Vec<PathBuf>,
}

impl Folders {
    /// Creates the folders of a file. Returns the created ones, the outermost first.
    pub(super) fn make(&mut self, named: &Path, real: &Path) -> Result<Vec<PathBuf>, ConfigError> {
        let mut missing: Vec<&Path> = real
            .ancestors()
            .skip(1)
            .take_while(|folder| !folder.exists())
            .collect();
        missing.reverse();
        let mut made = Vec::new();
        for folder in missing {
            match fs::create_dir(folder) {
                Ok(()) => {
                    self.made.push(folder.to_owned());
                    made.push(folder.to_owned());
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(ConfigError::io(named, "create the file's folder", error));
                }
            }
        }
        Ok(made)
    }

    pub(super) fn keep(&mut self) {
        self.made.clear();
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        remove_folders(&self.made);
    }
}

/// Removes empty folders, beginning with the innermost, which is the last.
pub(super) fn remove_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, after: Option<&str>) -> Write {
        let before = file::read(path, path).expect("readable");
        let after = after.map(|text| text.as_bytes().to_vec());
        Write::new(path, path.to_owned(), before, after).expect("writable")
    }

    #[test]
    fn when_the_last_cannot_be_written_the_others_are_put_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("old"), "old").expect("written");
        fs::write(path("gone"), "gone").expect("written");
        let writes = [
            write(&path("old"), Some("new")),
            write(&path("made"), Some("made")),
            write(&path("gone"), None),
            write(&path("no/folder"), Some("")),
        ];
        assert!(matches!(write_all(&writes), Err(Refusal::Failed(_))));
        assert_eq!(fs::read_to_string(path("old")).expect("there"), "old");
        assert_eq!(fs::read_to_string(path("gone")).expect("there"), "gone");
        assert!(!path("made").exists());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }

    #[test]
    fn what_somebody_wrote_in_between_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x");
        fs::write(&path, "one").expect("written");
        let stale = write(&path, Some("ours"));
        fs::write(&path, "theirs").expect("written");
        assert!(matches!(write_all([&stale]), Err(Refusal::Changed(_))));
        assert_eq!(fs::read_to_string(&path).expect("there"), "theirs");
    }

    #[test]
    fn folders_that_are_not_kept_are_removed_unless_something_is_in_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a/b/c.json");
        let mut folders = Folders::default();
        assert_eq!(folders.make(&file, &file).expect("made").len(), 2);
        fs::write(folder.path().join("a/other"), "").expect("written");
        drop(folders);
        assert!(folder.path().join("a").exists());
        assert!(!folder.path().join("a/b").exists());
    }
}
