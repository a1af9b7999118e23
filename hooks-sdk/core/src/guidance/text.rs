//! A hook's text in memory, and the name of the file it comes from.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{BuildHasher, Hash, Hasher},
    path::{Component, Path, PathBuf},
    sync::{Arc, OnceLock},
};

use super::Timestamp;

/// A text, and the file that it was read from.
#[derive(Debug)]
pub(super) struct Text {
    content: Box<str>,
    path: Option<PathBuf>,
    read_at: Timestamp,
    /// The shielded form, computed at first use; `None` inside if it equals the text.
    shielded: OnceLock<Option<Box<str>>>,
}

impl Text {
    pub(super) fn new(content: impl Into<Box<str>>, path: Option<PathBuf>) -> Text {
        Text {
            content: content.into(),
            path,
            read_at: Timestamp::now(),
            shielded: OnceLock::new(),
        }
    }

    pub(super) fn content(&self) -> &str {
        &self.content
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(super) fn read_at(&self) -> Timestamp {
        self.read_at
    }

    pub(super) fn shielded(&self) -> &str {
        let shielded = self.shielded.get_or_init(|| {
            let shielded = hooks_text::shield(&self.content);
            (*shielded != *self.content).then(|| shielded.into())
        });
        shielded.as_deref().unwrap_or(&self.content)
    }
}

/// The name of a hook's file below a base directory, with its hash computed once.
#[derive(Clone, Debug)]
pub(super) struct FileName {
    name: Arc<str>,
    hash: u64,
    outside: bool,
}

impl FileName {
    /// Makes the name of `file`, which is below the base directory even if it begins with a slash.
    pub(super) fn new(file: &str) -> FileName {
        let below = below(file);
        let outside = below.is_none();
        let name: Arc<str> = below.as_deref().unwrap_or(file).into();
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        FileName {
            name,
            hash: hasher.finish(),
            outside,
        }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.name
    }

    /// Returns whether the name leads out of the base directory.
    pub(super) fn is_outside(&self) -> bool {
        self.outside
    }
}

/// Returns `file` without `.` and `..`, its parts joined by slashes; `None` if it leads out.
fn below(file: &str) -> Option<String> {
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

impl PartialEq for FileName {
    fn eq(&self, other: &FileName) -> bool {
        // The text of a hook is cached under the hook's own name.
        self.hash == other.hash && (Arc::ptr_eq(&self.name, &other.name) || self.name == other.name)
    }
}

impl Eq for FileName {}

impl Hash for FileName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// Returns a [`FileName`]'s stored hash, so that a lookup computes no second hash.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OwnHash(u64);

impl BuildHasher for OwnHash {
    type Hasher = OwnHash;

    fn build_hasher(&self) -> OwnHash {
        OwnHash(0)
    }
}

impl Hasher for OwnHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
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
            assert_eq!(
                FileName::new(file).is_outside(),
                expected.is_none(),
                "{file}"
            );
        }
        assert_eq!(FileName::new("./w.md"), FileName::new("w.md"));
        assert_ne!(FileName::new("w.md"), FileName::new("v.md"));
    }
}
