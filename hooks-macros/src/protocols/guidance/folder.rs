//! The markdown files in a folder of the package.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use hooks_text::{Fault, files_below, is_markdown, nearest, slashed};
use syn::LitStr;

use crate::{report::Errors, text::normalize};

/// A folder of the package that exists.
pub(super) struct Folder<'a> {
    /// The author's token that names it, which underlines what is wrong.
    pub(super) at: &'a LitStr,
    /// The package's root.
    root: PathBuf,
    /// Its path below the root, with slashes.
    below: String,
    /// Its absolute path.
    pub(super) path: PathBuf,
    /// The markdown files in and below it: sorted paths, relative to it.
    pub(super) files: Vec<String>,
}

impl<'a> Folder<'a> {
    /// Finds the folder below `root` that `at` names, and the files in it. Returns `None` after reporting an error.
    pub(super) fn find(root: &Path, at: &'a LitStr, errors: &mut Errors) -> Option<Folder<'a>> {
        let name = at.value();
        let root = normalize(root);
        let path = normalize(&root.join(&name));
        let leads_out = Path::new(&name).has_root()
            || Path::new(&name).is_absolute()
            || path.is_dir() && !is_below(&path, &root);
        let Some(below) = path.strip_prefix(&root).ok().filter(|_| !leads_out) else {
            let help = "name a folder of this package, relative to its `Cargo.toml`";
            errors.push(at, format_args!("`{name}` leaves the package"), help);
            return None;
        };
        if !path.is_dir() {
            no_folder(&path, at, errors);
            return None;
        }
        let hooks = files_below(&path, |path, is_folder| is_folder || is_markdown(path));
        let mut folder = Folder {
            at,
            below: slashed(below),
            root,
            path,
            files: Vec::new(),
        };
        match hooks {
            Ok(files) => folder.files = files,
            Err(error) => {
                let wrong = format_args!("`{name}` cannot be read: {error}");
                errors.push(at, wrong, "let the compiler read it");
                return None;
            }
        }
        if folder.files.is_empty() {
            let help = format_args!("write the first hook in `{}`", folder.shown("welcome.md"));
            errors.push(at, format_args!("`{name}` has no `.md` file"), help);
            return None;
        }
        Some(folder)
    }

    /// Returns the path of one of its files, from the package's root.
    pub(super) fn shown(&self, file: &str) -> String {
        if self.below.is_empty() {
            file.to_owned()
        } else {
            format!("{}/{file}", self.below)
        }
    }

    /// Reports a fault in the file `shown`.
    pub(super) fn fault(&self, shown: &str, fault: &Fault, errors: &mut Errors) {
        let wrong = format_args!("{shown}:{}: {}", fault.line, fault.message);
        errors.push(self.at, wrong, &fault.help);
    }

    /// Reads a file, up to one byte more than `most`. Returns `None` after reporting an error.
    pub(super) fn read(&self, file: &str, most: usize, errors: &mut Errors) -> Option<Vec<u8>> {
        let (path, shown) = (self.path.join(file), self.shown(file));
        let read = || {
            // Opening a pipe would block until somebody writes, so the kind of file is checked first.
            if !fs::metadata(&path)?.is_file() {
                return Ok(Err((
                    "is no ordinary file",
                    "put the text itself there, or remove it",
                )));
            }
            if !is_below(&path, &self.root) {
                return Ok(Err((
                    "leads out of the package",
                    "put the file itself there",
                )));
            }
            let mut bytes = Vec::new();
            File::open(&path)?
                .take(most as u64 + 1)
                .read_to_end(&mut bytes)?;
            io::Result::Ok(Ok(bytes))
        };
        match read() {
            Ok(Ok(bytes)) => return Some(bytes),
            Ok(Err((what, help))) => errors.push(self.at, format_args!("`{shown}` {what}"), help),
            Err(error) => {
                let wrong = format_args!("`{shown}` cannot be read: {error}");
                errors.push(self.at, wrong, "mend the file, or remove it");
            }
        }
        None
    }
}

/// Lists the files in and below a folder of the package by their sorted paths in it, without those whose names begin
/// with `.`.
pub(super) fn all_files(folder: &Path) -> io::Result<Vec<String>> {
    let is_hidden = |name: &OsStr| name.to_string_lossy().starts_with('.');
    files_below(folder, |path, _| !path.file_name().is_some_and(is_hidden))
}

fn no_folder(path: &Path, at: &LitStr, errors: &mut Errors) {
    let name = at.value();
    if path.exists() {
        let help = "name the folder that it is in";
        errors.push(at, format_args!("`{name}` is not a folder"), help);
        return;
    }
    let help = match neighbour(path) {
        Some(near) => match name.trim_end_matches('/').rsplit_once('/') {
            Some((above, _)) => format!("write `{above}/{near}`"),
            None => format!("write `{near}`"),
        },
        None => "make it, or name another, relative to the package's `Cargo.toml`".to_owned(),
    };
    errors.push(at, format_args!("there is no folder `{name}`"), help);
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
    use proc_macro2::Span;

    use super::*;

    fn token(name: &str) -> LitStr {
        LitStr::new(name, Span::call_site())
    }

    /// Returns the first line of the error about a folder.
    fn wrong(name: &str) -> String {
        let mut errors = Errors::default();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(Folder::find(root, &token(name), &mut errors).is_none());
        let [message] = &errors.messages()[..] else {
            panic!("one error")
        };
        message.lines().next().unwrap().to_owned()
    }

    #[test]
    fn no_folder_is_outside_the_package() {
        for name in ["..", "../hooks-sdk", "src/../../tests", "/", "/etc"] {
            assert_eq!(wrong(name), format!("`{name}` leaves the package"));
        }
    }

    #[test]
    fn a_folder_is_there_and_has_files() {
        assert_eq!(wrong("src"), "`src` has no `.md` file");
        assert_eq!(wrong("./src/../scr"), "there is no folder `./src/../scr`");
        assert_eq!(wrong("Cargo.toml"), "`Cargo.toml` is not a folder");
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(neighbour(&root.join("scr")).as_deref(), Some("src"));
    }

    #[test]
    fn only_what_is_needed_of_a_file_is_read() {
        let at = token("");
        let folder = Folder {
            at: &at,
            root: env!("CARGO_MANIFEST_DIR").into(),
            below: String::new(),
            path: env!("CARGO_MANIFEST_DIR").into(),
            files: Vec::new(),
        };
        let mut errors = Errors::default();
        assert!(folder.read("Cargo.toml", 10_000, &mut errors).is_some());
        for file in ["src", "none.md", "../Cargo.toml"] {
            assert_eq!(folder.read(file, 10_000, &mut errors), None);
        }
        let [no_file, none, _outside] = &errors.messages()[..] else {
            panic!("{:?}", errors.messages())
        };
        assert!(
            no_file.starts_with("`src` is no ordinary file"),
            "{no_file}"
        );
        assert!(none.starts_with("`none.md` cannot be read"), "{none}");
    }
}
