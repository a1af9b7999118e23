//! The writing of several files, all or none.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    change::FileChange,
    error::{ConfigError, Obstacle},
    file::{self, Refusal},
};

/// How often changes are computed again if other programs change the files meanwhile.
const TRIES: usize = 5;

/// Computes and writes changes, and again if a file has changed meanwhile. `at` is the record of the installation.
pub(super) fn attempts<T>(
    at: &Path,
    mut attempt: impl FnMut() -> Result<T, Refusal>,
) -> Result<T, ConfigError> {
    let mut changed = at.to_owned();
    for _ in 0..TRIES {
        match attempt() {
            Ok(done) => return Ok(done),
            Err(Refusal::Changed(file)) => changed = file,
            Err(Refusal::Failed(error)) => return Err(error),
        }
    }
    let wrong = "another program keeps changing the file";
    let mend = "end that program, then run this again";
    Err(ConfigError::new(Obstacle::Busy, &changed, wrong, mend))
}

/// Writes the changes. If a file cannot be written, restores those before it.
pub(super) fn write_all<'w>(
    changes: impl IntoIterator<Item = &'w FileChange>,
) -> Result<(), Refusal> {
    let changes = changes.into_iter().filter(|change| change.changes());
    let changes: Vec<&FileChange> = changes.collect();
    for (at, change) in changes.iter().enumerate() {
        if let Err(refusal) = replace(change, &change.before, &change.after) {
            return Err(put_back(&changes[..at], refusal));
        }
    }
    Ok(())
}

fn put_back(written: &[&FileChange], mut refusal: Refusal) -> Refusal {
    for change in written.iter().rev() {
        let back = replace(change, &change.after, &change.before);
        if back.is_err()
            && let Refusal::Failed(error) = refusal
        {
            let file = change.file.display();
            refusal = Refusal::Failed(error.and(&format!("`{file}` could not be restored")));
        }
    }
    refusal
}

/// Replaces the content of a file, also of one that was removed, with the permissions that it had.
fn replace(
    change: &FileChange,
    old: &Option<Vec<u8>>,
    new: &Option<Vec<u8>>,
) -> Result<(), Refusal> {
    let (old, new) = (old.as_deref(), new.as_deref());
    let permissions = change.permissions.as_ref();
    file::replace(&change.file, &change.real, old, permissions, new)
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

    fn write(path: &Path, after: Option<&str>) -> FileChange {
        let before = file::read(path, path).expect("readable");
        let after = after.map(|text| text.as_bytes().to_vec());
        FileChange::new(path, path.to_owned(), before, after).expect("writable")
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
