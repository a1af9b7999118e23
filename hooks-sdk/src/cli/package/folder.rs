//! The writing of a package's folder: all of it or nothing.

use std::{
    collections::BTreeMap,
    env, fs, io,
    io::Write as _,
    path::{Component, Path, PathBuf},
    process,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cli::CommandError;

/// The file that says whose package a folder is.
const MARK: &str = ".hooks-package.json";

/// How many files a folder may have that is looked through.
const MOST_FILES: usize = 10_000;

/// The largest mark, in bytes.
const LARGEST_MARK: u64 = 1 << 20;

/// The files of a package, by their paths below its folder, with `/` between the parts.
#[derive(Debug, Default)]
pub(super) struct Files(BTreeMap<String, Vec<u8>>);

/// Whose package a folder is, and which files it has.
#[derive(Debug, Deserialize, Serialize)]
struct Mark {
    server: String,
    format: String,
    files: Vec<String>,
}

/// A file of the package, and what happened to it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Written {
    pub(super) file: String,
    pub(super) state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Created,
    Changed,
    Unchanged,
    Removed,
}

impl Files {
    /// Adds a file. `path` must stay inside the folder.
    pub(super) fn add(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), CommandError> {
        let is_inside = Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        // Other systems read these letters as parts of a path, too.
        if path.is_empty() || !is_inside || path.contains(['\\', ':', '\0']) || path == MARK {
            return Err(format!(
                "`{}` is not a path of a file inside the package",
                path.escape_debug()
            )
            .into());
        }
        match self.0.insert(path.to_owned(), bytes) {
            None => Ok(()),
            Some(_) => Err(format!("the package would have two files `{path}`").into()),
        }
    }

    pub(super) fn add_json(&mut self, path: &str, value: &Value) -> Result<(), CommandError> {
        let mut text = serde_json::to_string_pretty(value)?;
        text.push('\n');
        self.add(path, text.into_bytes())
    }

    /// Writes the folder, which may be missing, empty, or an earlier package of this server. Returns it, and its files.
    pub(super) fn write(
        &self,
        folder: &Path,
        server: &str,
        format: &str,
    ) -> Result<(PathBuf, Vec<Written>), CommandError> {
        let folder = place(folder)?;
        let earlier = earlier(&folder, server)?;
        let written = self.compared(&folder, &earlier);
        let mark = Mark {
            server: server.to_owned(),
            format: format.to_owned(),
            files: self.0.keys().cloned().collect(),
        };
        let failed = |doing: &str, error: io::Error| -> CommandError {
            format!("cannot {doing} `{}`: {error}", folder.display()).into()
        };
        let parent = folder.parent().unwrap_or(&folder);
        fs::create_dir_all(parent).map_err(|error| failed("make the folder of", error))?;
        let new = beside(&folder, "new");
        let done = self
            .write_new(&new, &mark)
            .and_then(|()| swap(&new, &folder));
        if let Err(error) = done {
            _ = fs::remove_dir_all(&new);
            return Err(failed("write", error));
        }
        Ok((folder, written))
    }

    fn write_new(&self, new: &Path, mark: &Mark) -> io::Result<()> {
        // Left by a program that was ended, with this process id.
        _ = fs::remove_dir_all(new);
        fs::create_dir(new)?;
        let mut mark = serde_json::to_vec_pretty(mark)?;
        mark.push(b'\n');
        let own = [(MARK, &mark)];
        let files = self.0.iter().map(|(path, bytes)| (path.as_str(), bytes));
        for (path, bytes) in files.chain(own) {
            let path = new.join(path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut file = fs::File::create_new(path)?;
            file.write_all(bytes)?;
            file.sync_all()?;
        }
        Ok(())
    }

    fn compared(&self, folder: &Path, earlier: &[String]) -> Vec<Written> {
        let state = |path: &str, bytes: &[u8]| match fs::read(folder.join(path)) {
            Ok(found) if found == bytes => State::Unchanged,
            Ok(_) => State::Changed,
            Err(_) => State::Created,
        };
        let mut written: Vec<Written> = self
            .0
            .iter()
            .map(|(path, bytes)| Written {
                file: path.clone(),
                state: state(path, bytes),
            })
            .collect();
        let removed = earlier.iter().filter(|path| !self.0.contains_key(*path));
        written.extend(removed.map(|path| Written {
            file: path.clone(),
            state: State::Removed,
        }));
        written
    }
}

/// Returns the folder without links, so that the folder itself is replaced.
fn place(folder: &Path) -> Result<PathBuf, CommandError> {
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
fn earlier(folder: &Path, server: &str) -> Result<Vec<String>, CommandError> {
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
    let mark: Option<Mark> = mark.and_then(|bytes| serde_json::from_slice(&bytes).ok());
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

fn beside(folder: &Path, what: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(folder.file_name().unwrap_or_default());
    name.push(format!(".{}.{what}", process::id()));
    folder.with_file_name(name)
}

/// Puts the new folder in the place of the old one. If that fails, the old one stays.
fn swap(new: &Path, folder: &Path) -> io::Result<()> {
    let Err(error) = fs::rename(new, folder) else {
        return Ok(());
    };
    // Only a missing or an empty folder is replaced at once.
    if !folder.is_dir() {
        return Err(error);
    }
    let old = beside(folder, "old");
    _ = fs::remove_dir_all(&old);
    fs::rename(folder, &old)?;
    if let Err(error) = fs::rename(new, folder) {
        fs::rename(&old, folder)?;
        return Err(error);
    }
    // The package is whole: what cannot be removed is only litter.
    if let Err(error) = fs::remove_dir_all(&old) {
        tracing::warn!(%error, folder = %old.display(), "the earlier package is not removed");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
