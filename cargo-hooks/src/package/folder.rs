//! The writing of a package's folder: all of it or nothing.

mod earlier;

use std::{
    collections::BTreeMap,
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
    process,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::earlier::earlier;
pub(super) use self::earlier::place;
use crate::CommandError;

/// The file that says whose package a folder is.
const MARK: &str = ".hooks-package.json";

/// The files of a package, by their paths below its folder, with `/` between the parts.
#[derive(Debug, Default)]
pub(super) struct Files(BTreeMap<String, PackageFile>);

/// A file of a package.
#[derive(Debug)]
pub(super) struct PackageFile {
    pub(super) bytes: Vec<u8>,
    is_program: bool,
}

/// Whose package a folder is, and which files it has.
#[derive(Debug, Deserialize, Serialize)]
struct PackageMark {
    server: String,
    format: String,
    files: Vec<String>,
}

/// A file of the package, and what happened to it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct WrittenFile {
    pub(super) file: String,
    pub(super) state: FileState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FileState {
    Created,
    Changed,
    Unchanged,
    Removed,
}

impl Files {
    /// Adds a file. `path` must stay inside the folder.
    pub(super) fn add(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), CommandError> {
        self.insert(path, bytes, false)
    }

    /// Adds a file that can be executed. `path` must stay inside the folder.
    pub(super) fn add_program(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), CommandError> {
        self.insert(path, bytes, true)
    }

    fn insert(&mut self, path: &str, bytes: Vec<u8>, is_program: bool) -> Result<(), CommandError> {
        let is_inside = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        // Other systems read these letters as parts of a path, too.
        if !is_inside || path.contains(['\\', ':', '\0']) || path == MARK {
            return Err(format!(
                "`{}` is not a path of a file inside the package",
                path.escape_debug()
            )
            .into());
        }
        let file = PackageFile { bytes, is_program };
        match self.0.insert(path.to_owned(), file) {
            None => Ok(()),
            Some(_) => Err(format!("the package would have two files `{path}`").into()),
        }
    }

    pub(super) fn add_json(&mut self, path: &str, value: &Value) -> Result<(), CommandError> {
        let mut text = serde_json::to_string_pretty(value)?;
        text.push('\n');
        self.add(path, text.into_bytes())
    }

    /// Returns the files in the order of their paths.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &PackageFile)> {
        self.0.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// Writes the folder, which may be missing, empty, or an earlier package of this server. Returns it, and its files.
    pub(super) fn write(
        &self,
        folder: &Path,
        server: &str,
        format: &str,
    ) -> Result<(PathBuf, Vec<WrittenFile>), CommandError> {
        let folder = place(folder)?;
        let earlier = earlier(&folder, server)?;
        let written = self.compared(&folder, &earlier);
        let mark = PackageMark {
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

    fn write_new(&self, new: &Path, mark: &PackageMark) -> io::Result<()> {
        // Left by a program that was ended, with this process id.
        _ = fs::remove_dir_all(new);
        fs::create_dir(new)?;
        let mut bytes = serde_json::to_vec_pretty(mark)?;
        bytes.push(b'\n');
        let mark = PackageFile {
            bytes,
            is_program: false,
        };
        let files = self.0.iter().map(|(path, file)| (path.as_str(), file));
        for (path, content) in files.chain([(MARK, &mark)]) {
            let path = new.join(path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut file = fs::File::create_new(path)?;
            file.write_all(&content.bytes)?;
            #[cfg(unix)]
            if content.is_program {
                use std::os::unix::fs::PermissionsExt as _;
                file.set_permissions(fs::Permissions::from_mode(content.mode()))?;
            }
            file.sync_all()?;
        }
        Ok(())
    }

    fn compared(&self, folder: &Path, earlier: &[String]) -> Vec<WrittenFile> {
        let state = |path: &str, bytes: &[u8]| match fs::read(folder.join(path)) {
            Ok(found) if found == bytes => FileState::Unchanged,
            Ok(_) => FileState::Changed,
            Err(_) => FileState::Created,
        };
        let mut written: Vec<WrittenFile> = self
            .0
            .iter()
            .map(|(path, file)| WrittenFile {
                file: path.clone(),
                state: state(path, &file.bytes),
            })
            .collect();
        let removed = earlier.iter().filter(|path| !self.0.contains_key(*path));
        written.extend(removed.map(|path| WrittenFile {
            file: path.clone(),
            state: FileState::Removed,
        }));
        written
    }
}

impl PackageFile {
    /// Returns the permissions of the file.
    pub(super) fn mode(&self) -> u32 {
        match self.is_program {
            true => 0o755,
            false => 0o644,
        }
    }
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
