//! The change of one file, which can be shown before it is made.

use std::{
    fs::Permissions,
    path::{Path, PathBuf},
};

use similar::TextDiff;

use super::{
    error::ConfigError,
    file::{self, Content},
};

/// The change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileChange {
    /// The file, as it was named. If it is a symbolic link, the change applies to its target.
    pub file: PathBuf,
    /// The bytes before; `None` if there is no file.
    pub before: Option<Vec<u8>>,
    /// The bytes after; `None` if the file is removed.
    pub after: Option<Vec<u8>>,
    /// What stays although it was installed, and why, as a sentence for people.
    pub left: Option<String>,
    /// The number of entries that an earlier version wrote without an id, and that have one now.
    pub taken_over: usize,
    /// The file itself, where the named one is a link to it.
    pub(super) real: PathBuf,
    /// Who can read the file before.
    pub(super) permissions: Option<Permissions>,
}

impl FileChange {
    /// Makes the change of a file, and checks that the file is writable, also for a preview.
    pub(super) fn new(
        named: &Path,
        real: PathBuf,
        before: Option<Content>,
        after: Option<Vec<u8>>,
    ) -> Result<FileChange, ConfigError> {
        let (before, permissions) = before.map(|it| (it.bytes, it.permissions)).unzip();
        let change = FileChange {
            file: named.to_owned(),
            before,
            after,
            left: None,
            taken_over: 0,
            real,
            permissions,
        };
        if let Some(permissions) = change.permissions.as_ref().filter(|_| change.changes()) {
            file::check_writable(named, &change.real, permissions)?;
        }
        Ok(change)
    }

    /// Returns whether the change has an effect.
    pub fn changes(&self) -> bool {
        self.before != self.after
    }

    /// Returns the change as a unified diff; empty if there is no effect.
    pub fn diff(&self) -> String {
        if !self.changes() {
            return String::new();
        }
        let text = |bytes: &Option<Vec<u8>>| {
            String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned()
        };
        let name = |bytes: &Option<Vec<u8>>| match bytes {
            Some(_) => self.file.display().to_string(),
            None => "/dev/null".to_owned(),
        };
        let (before, after) = (text(&self.before), text(&self.after));
        let names = (name(&self.before), name(&self.after));
        TextDiff::from_lines(&before, &after)
            .unified_diff()
            .context_radius(3)
            .header(&names.0, &names.1)
            .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_names_the_file_and_shows_what_is_new() {
        let bytes = |text: &str| Some(text.as_bytes().to_vec());
        let change = |before, after| FileChange {
            file: PathBuf::from("/x.json"),
            before,
            after,
            left: None,
            taken_over: 0,
            real: PathBuf::new(),
            permissions: None,
        };
        assert_eq!(
            change(bytes("{\n}\n"), bytes("{\n  1\n}\n")).diff(),
            "--- /x.json\n+++ /x.json\n@@ -1,2 +1,3 @@\n {\n+  1\n }\n"
        );
        let created = change(None, bytes("{}\n"));
        assert!(created.diff().starts_with("--- /dev/null\n+++ /x.json\n"));
        let same = change(bytes("{}"), bytes("{}"));
        assert_eq!(same.diff(), "");
    }
}
