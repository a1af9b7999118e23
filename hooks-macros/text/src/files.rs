//! Lists the files of a folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Returns the paths of the files in and below a folder, relative to it, with slashes, sorted.
///
/// `wanted` decides about each file and each folder, by its path and whether it is a folder. Links to folders are not
/// followed.
///
/// # Errors
///
/// A folder cannot be read.
pub fn files_below(folder: &Path, wanted: impl Fn(&Path, bool) -> bool) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    let mut below = vec![PathBuf::new()];
    while let Some(inner) = below.pop() {
        for entry in fs::read_dir(folder.join(&inner))? {
            let entry = entry?;
            let path = inner.join(entry.file_name());
            let is_folder = entry.file_type()?.is_dir();
            if !wanted(&path, is_folder) {
                continue;
            }
            if is_folder {
                below.push(path);
            } else {
                files.push(slashed(&path));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Returns a path with slashes between its parts.
pub fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

/// The endings of markdown. A hook's file has the first one.
const ENDINGS: [&str; 5] = ["md", "markdown", "mdown", "mkd", "mdx"];

/// Whether a file is markdown, by its name, in any spelling. [`hook_text`](crate::hook_text) reads `.md` only.
pub fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|ending| {
        let mut endings = ENDINGS.iter();
        endings.any(|known| ending.eq_ignore_ascii_case(known))
    })
}
