//! The markdown files in a folder of the package.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use hooks_text::{MAX_TEXT, files_below, is_markdown, nearest, slashed};

use crate::text::normalize;

/// A folder of the package that exists.
#[derive(Debug)]
pub(super) struct Folder {
    /// The package's root.
    root: PathBuf,
    /// Its path below the root, with slashes.
    below: String,
    /// Its absolute path.
    pub(super) path: PathBuf,
    /// The markdown files in and below it: sorted paths, relative to it.
    pub(super) files: Vec<String>,
}

/// What is wrong with a folder or a file, and the edit that mends it.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) wrong: String,
    pub(super) help: String,
}

impl Problem {
    pub(super) fn new(wrong: String, help: impl Into<String>) -> Problem {
        Problem {
            wrong,
            help: help.into(),
        }
    }
}

impl Folder {
    /// Finds the folder `name` below `root` and the files in it.
    pub(super) fn find(root: &Path, name: &str) -> Result<Folder, Problem> {
        let outside = || {
            let help = "name a folder of this package, relative to its `Cargo.toml`";
            Problem::new(format!("`{name}` leaves the package"), help)
        };
        let root = normalize(root);
        if Path::new(name).has_root() || Path::new(name).is_absolute() {
            return Err(outside());
        }
        let path = normalize(&root.join(name));
        let Ok(below) = path.strip_prefix(&root) else {
            return Err(outside());
        };
        let below = slashed(below);
        if !path.is_dir() {
            return Err(no_folder(&path, name));
        }
        if !is_below(&path, &root) {
            return Err(outside());
        }
        let mut folder = Folder {
            root,
            below,
            path,
            files: Vec::new(),
        };
        let hooks = files_below(&folder.path, |path, is_folder| {
            is_folder || is_markdown(path)
        });
        folder.files = hooks.map_err(|error| {
            let wrong = format!("`{name}` cannot be read: {error}");
            Problem::new(wrong, "let the compiler read it")
        })?;
        if folder.files.is_empty() {
            let help = format!("write the first hook in `{}`", folder.shown("welcome.md"));
            return Err(Problem::new(format!("`{name}` has no `.md` file"), help));
        }
        Ok(folder)
    }

    /// Returns the path of one of its files, from the package's root.
    pub(super) fn shown(&self, file: &str) -> String {
        if self.below.is_empty() {
            file.to_owned()
        } else {
            format!("{}/{file}", self.below)
        }
    }

    /// Reads a file, up to one byte more than the longest hook.
    pub(super) fn read(&self, file: &str) -> Result<Vec<u8>, Problem> {
        self.read_to(file, MAX_TEXT)
    }

    /// Reads a file, up to one byte more than `most`.
    pub(super) fn read_to(&self, file: &str, most: usize) -> Result<Vec<u8>, Problem> {
        let (path, shown) = (self.path.join(file), self.shown(file));
        let unreadable = |error: io::Error| {
            let wrong = format!("`{shown}` cannot be read: {error}");
            Problem::new(wrong, "mend the file, or remove it")
        };
        // Opening a pipe would block until somebody writes, so the kind of file is checked first.
        if !fs::metadata(&path).map_err(unreadable)?.is_file() {
            let wrong = format!("`{shown}` is no ordinary file");
            return Err(Problem::new(
                wrong,
                "put the text itself there, or remove it",
            ));
        }
        if !is_below(&path, &self.root) {
            let wrong = format!("`{shown}` leads out of the package");
            return Err(Problem::new(wrong, "put the file itself there"));
        }
        let mut bytes = Vec::new();
        File::open(&path)
            .and_then(|open| open.take(most as u64 + 1).read_to_end(&mut bytes))
            .map_err(unreadable)?;
        Ok(bytes)
    }
}

/// Lists the files in and below a folder of the package by their sorted paths in it, without those whose names begin
/// with `.`.
pub(super) fn all_files(folder: &Path) -> io::Result<Vec<String>> {
    let is_hidden = |name: &OsStr| name.to_string_lossy().starts_with('.');
    files_below(folder, |path, _| !path.file_name().is_some_and(is_hidden))
}

fn no_folder(path: &Path, name: &str) -> Problem {
    if path.exists() {
        let help = "name the folder that it is in";
        return Problem::new(format!("`{name}` is not a folder"), help);
    }
    let help = match neighbour(path) {
        Some(near) => match name.trim_end_matches('/').rsplit_once('/') {
            Some((above, _)) => format!("write `{above}/{near}`"),
            None => format!("write `{near}`"),
        },
        None => "make it, or name another, relative to the package's `Cargo.toml`".to_owned(),
    };
    Problem::new(format!("there is no folder `{name}`"), help)
}

/// Returns the sibling of a missing folder with the nearest name.
fn neighbour(path: &Path) -> Option<String> {
    let entries = path.parent()?.read_dir().ok()?.filter_map(Result::ok);
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    let name = path.file_name()?.to_str()?;
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}

/// Whether a path is below the root after every link is followed.
fn is_below(path: &Path, root: &Path) -> bool {
    match (fs::canonicalize(path), fs::canonicalize(root)) {
        (Ok(path), Ok(root)) => path.starts_with(root),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(name: &str) -> Result<Folder, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        Folder::find(root, name).map_err(|problem| problem.wrong)
    }

    #[test]
    fn no_folder_is_outside_the_package() {
        for name in ["..", "../hooks-sdk", "src/../../tests", "/", "/etc"] {
            let wrong = find(name).unwrap_err();
            assert_eq!(wrong, format!("`{name}` leaves the package"));
        }
    }

    #[test]
    fn a_folder_is_there_and_has_files() {
        assert_eq!(find("src").unwrap_err(), "`src` has no `.md` file");
        assert_eq!(
            find("./src/../scr").unwrap_err(),
            "there is no folder `./src/../scr`"
        );
        assert_eq!(
            find("Cargo.toml").unwrap_err(),
            "`Cargo.toml` is not a folder"
        );
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(neighbour(&root.join("scr")).as_deref(), Some("src"));
    }

    #[test]
    fn only_what_is_needed_of_a_file_is_read() {
        let folder = Folder {
            root: env!("CARGO_MANIFEST_DIR").into(),
            below: String::new(),
            path: env!("CARGO_MANIFEST_DIR").into(),
            files: Vec::new(),
        };
        assert!(folder.read("Cargo.toml").is_ok());
        assert_eq!(
            folder.read("src").unwrap_err().wrong,
            "`src` is no ordinary file"
        );
        assert!(folder.read("none.md").is_err());
        assert!(folder.read("../Cargo.toml").is_err());
    }
}
