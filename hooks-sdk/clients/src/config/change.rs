//! The change of one file, which can be shown before it is made.

use std::path::{Path, PathBuf};

use similar::TextDiff;

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
}

impl FileChange {
    pub(super) fn new(file: &Path, before: Option<Vec<u8>>, after: Option<Vec<u8>>) -> FileChange {
        FileChange {
            file: file.to_owned(),
            before,
            after,
            left: None,
            taken_over: 0,
        }
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
        let change = FileChange::new(Path::new("/x.json"), bytes("{\n}\n"), bytes("{\n  1\n}\n"));
        assert_eq!(
            change.diff(),
            "--- /x.json\n+++ /x.json\n@@ -1,2 +1,3 @@\n {\n+  1\n }\n"
        );
        let created = FileChange::new(Path::new("/x.json"), None, bytes("{}\n"));
        assert!(created.diff().starts_with("--- /dev/null\n+++ /x.json\n"));
        let same = FileChange::new(Path::new("/x.json"), bytes("{}"), bytes("{}"));
        assert_eq!(same.diff(), "");
    }
}
