//! Where the tests have their memories: in files.

use std::path::PathBuf;

use tempfile::TempDir;

/// The database of a name in a folder.
pub(crate) fn database(folder: &TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}
