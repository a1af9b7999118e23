//! The folder that a package is written to, and what is in it.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use super::{MARK, PackageMark};
use crate::CommandError;

/// How many files a folder may have that is looked through.
const MOST_FILES: usize = 10_000;

/// The largest mark, in bytes.
const LARGEST_MARK: u64 = 1 << 20;

/// Returns the folder without links, so that the folder itself is replaced.
pub(in crate::package) fn place(folder: &Path) -> Result<PathBuf, CommandError> {
    let wrong = |error| format!("`{}`: {error}", folder.display());
    let folder = std::path::absolute(folder).map_err(wrong)?;
    let folder = match fs::canonicalize(&folder) {
        Ok(real) => real,
        Err(error) if error.kind() == io::ErrorKind::NotFound => folder,
        Err(error) => return Err(wrong(error).into()),
    };
    let shown = folder.display();
    if folder.file_name().is_none() {
        return Err(
            format!("`{shown}` cannot be a package\nhelp: name a folder of its own").into(),
        );
    }
    let here = env::current_dir().and_then(fs::canonicalize);
    if here.is_ok_and(|here| here.starts_with(&folder)) {
        return Err(format!(
            "`{shown}` is the current folder, or contains it, and would be replaced\nhelp: run this from another folder"
        )
        .into());
    }
    Ok(folder)
}

/// Returns the files of the earlier package in the folder; none if it is missing or empty.
pub(super) fn earlier(folder: &Path, server: &str) -> Result<Vec<String>, CommandError> {
    let shown = folder.display();
    let found = match files_of(folder) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("cannot read `{shown}`: {error}").into()),
    };
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let refused = |why: String| -> CommandError {
        format!("{why}\nhelp: name a folder that is missing or empty, or an earlier package of this server")
            .into()
    };
    let mark = folder.join(MARK);
    let is_small = fs::metadata(&mark).is_ok_and(|mark| mark.len() <= LARGEST_MARK);
    let mark = is_small.then(|| fs::read(&mark).ok()).flatten();
    let mark: Option<PackageMark> = mark.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let Some(mark) = mark.filter(|mark| mark.server == server) else {
        return Err(refused(format!(
            "`{shown}` has files, and is not a package of the server `{server}`"
        )));
    };
    let is_of_it = |path: &&String| *path == MARK || mark.files.contains(*path);
    if let Some(other) = found.iter().find(|path| !is_of_it(path)) {
        return Err(refused(format!(
            "`{}` is not a file of the package, and would be lost",
            folder.join(other).display()
        )));
    }
    Ok(mark.files)
}

/// Returns the paths of everything below a folder that is not a folder. Follows no links.
fn files_of(folder: &Path) -> io::Result<Vec<String>> {
    let (mut files, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(folder.join(&below))? {
            let entry = entry?;
            let path = below.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else {
                files.push(path.to_string_lossy().into_owned());
            }
            if files.len() + folders.len() > MOST_FILES {
                return Err(io::Error::other("it has more than 10000 files"));
            }
        }
    }
    Ok(files)
}
