//! The sources of texts, a directory that is read at run time or embedded files, and why a text could not be loaded.

use std::{
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Read},
    ops::Deref,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use thiserror::Error;

use super::text::Text;
use crate::text::MAX_TEXT;

/// The name of a file below the folder of texts, with its hash: a look into the cache would compute it each time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileName {
    hash: u64,
    name: Arc<str>,
}

impl FileName {
    pub(super) fn new(name: String) -> FileName {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        FileName {
            hash: hasher.finish(),
            name: name.into(),
        }
    }
}

impl Deref for FileName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.name
    }
}

impl Hash for FileName {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.hash);
    }
}

/// A source of texts.
#[derive(Clone, Debug)]
pub(super) enum Files {
    Directory(Arc<Path>),
    Embedded(Arc<[(String, Vec<u8>)]>),
}

impl Files {
    /// Returns the path of a file.
    pub(super) fn path(&self, file: &str) -> PathBuf {
        match self {
            Files::Directory(base) => base.join(file),
            Files::Embedded(_) => file.into(),
        }
    }

    /// Reads one file. Blocks if the file is on disk.
    pub(super) fn read(&self, file: &str, lossy: bool) -> Result<Text, LoadError> {
        let bytes = match self {
            Files::Directory(base) => read_below(base, file)?,
            Files::Embedded(files) => {
                let found = files.iter().find(|(name, _)| name == file);
                let (_, bytes) = found.ok_or_else(|| LoadError::NotFound(file.into()))?;
                capped(file, bytes.clone())?
            }
        };
        let content = match String::from_utf8(bytes) {
            Ok(content) => content,
            Err(error) if lossy => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            Err(error) => {
                let (file, at) = (file.into(), error.utf8_error().valid_up_to());
                return Err(LoadError::NotUtf8 { file, at });
            }
        };
        Ok(Text::new(content, Some(self.path(file))))
    }
}

fn capped(file: &str, bytes: Vec<u8>) -> Result<Vec<u8>, LoadError> {
    if bytes.len() > MAX_TEXT {
        Err(LoadError::TooLong(file.into()))
    } else {
        Ok(bytes)
    }
}

/// Returns `file` without `.` and `..`, its parts joined by slashes; `None` if it leads out.
pub(super) fn below(file: &str) -> Option<String> {
    let mut parts = Vec::new();
    for component in Path::new(file).components() {
        match component {
            Component::RootDir | Component::CurDir => {}
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::ParentDir => _ = parts.pop()?,
            Component::Prefix(_) => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// Reads `file`, which contains no `..`, below `base`. A link that leads out is an error.
pub(super) fn read_below(base: &Path, file: &str) -> Result<Vec<u8>, LoadError> {
    let io = |error| LoadError::io(file, error);
    let base = fs::canonicalize(base).map_err(io)?;
    let path = fs::canonicalize(base.join(file)).map_err(io)?;
    if !path.starts_with(&base) {
        return Err(LoadError::Outside(file.into()));
    }
    // Checks the kind first, because opening a pipe waits for its writer.
    let kind = fs::metadata(&path).map_err(io)?;
    if kind.is_dir() {
        return Err(LoadError::Directory(file.into()));
    }
    if !kind.is_file() {
        return Err(LoadError::NotAFile(file.into()));
    }
    let mut bytes = Vec::new();
    // Reads one byte more than allowed, to detect a longer file even if it grows meanwhile.
    let limit = MAX_TEXT as u64 + 1;
    File::open(&path)
        .and_then(|open| open.take(limit).read_to_end(&mut bytes))
        .map_err(io)?;
    capped(file, bytes)
}

/// Why a hook's text could not be loaded. The file is relative to the base directory.
///
/// Implements the Hooks System document, "Failure Handling".
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file does not exist.
    #[error("`{0}` does not exist")]
    NotFound(Box<str>),
    /// The file is a directory.
    #[error("`{0}` is a directory")]
    Directory(Box<str>),
    /// The path is neither a file nor a directory.
    #[error("`{0}` is no ordinary file")]
    NotAFile(Box<str>),
    /// The file is not below the base directory, or a link leads out of it.
    #[error("`{0}` leads out of the folder of hook texts")]
    Outside(Box<str>),
    /// The file is longer than 32 KiB.
    #[error("`{0}` is longer than {MAX_TEXT} bytes")]
    TooLong(Box<str>),
    /// The file is not UTF-8.
    #[error("`{file}` is not UTF-8 (byte {at})")]
    NotUtf8 {
        /// The file.
        file: Box<str>,
        /// The offset of the first byte that is not UTF-8.
        at: usize,
    },
    /// The system reported another error.
    #[error("`{file}` cannot be read: {error}")]
    Io {
        /// The file.
        file: Box<str>,
        /// The system's error.
        error: Arc<io::Error>,
    },
    /// The function that makes the text failed.
    #[error("{0}")]
    Failed(Box<str>),
}

impl LoadError {
    pub(super) fn io(file: &str, error: io::Error) -> LoadError {
        let file = file.into();
        match error.kind() {
            io::ErrorKind::NotFound => LoadError::NotFound(file),
            io::ErrorKind::IsADirectory => LoadError::Directory(file),
            _ => LoadError::Io {
                file,
                error: Arc::new(error),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_below_their_base() {
        for (file, expected) in [
            ("w.md", Some("w.md")),
            ("./w.md", Some("w.md")),
            ("a/../w.md", Some("w.md")),
            ("sub//dir/./w.md", Some("sub/dir/w.md")),
            ("/etc/passwd", Some("etc/passwd")),
            ("../w.md", None),
            ("a/../../w.md", None),
            ("/../w.md", None),
            ("..", None),
            (".", None),
            ("/", None),
        ] {
            assert_eq!(below(file).as_deref(), expected, "{file}");
        }
    }
}
