//! Whether a path lies in a folder, by the names alone: nothing is looked up, and nothing is allocated.

/// A folder on a disk, or a URI below which others lie.
pub(super) struct Folder {
    /// Scheme and authority of a URI.
    base: Option<(Box<str>, Box<str>)>,
    absolute: bool,
    parts: Box<[Box<[u8]>]>,
}

impl Folder {
    pub(super) fn new(text: &str) -> Result<Folder, (String, String)> {
        let (base, path, decoded) = match uri(text) {
            Some((scheme, authority, path)) => {
                (Some((scheme.into(), authority.into())), path, true)
            }
            None => (None, text, false),
        };
        let bytes: Vec<u8> = Bytes::of(path, decoded).collect();
        let parts = bytes.split(|byte| is_separator(*byte));
        let parts: Vec<&[u8]> = parts
            .filter(|part| !part.is_empty() && *part != b".")
            .collect();
        if parts.contains(&b"..".as_slice()) {
            let wrong = format!("the folder `{text}` has `..` in it");
            return Err((wrong, "write the folder without `..`".to_owned()));
        }
        Ok(Folder {
            absolute: base.is_some() || is_absolute(path),
            base,
            parts: parts.into_iter().map(Box::from).collect(),
        })
    }

    /// Whether `path` leads into the folder, or to it. A relative path never lies in an absolute folder, and one that
    /// leaves the place where it starts lies in none.
    pub(super) fn holds(&self, path: &str) -> bool {
        let Some((scheme, authority)) = &self.base else {
            return is_absolute(path) == self.absolute && self.is_reached(Bytes::of(path, false));
        };
        uri(path).is_some_and(|(of_path, at, path)| {
            scheme.eq_ignore_ascii_case(of_path)
                && authority.eq_ignore_ascii_case(at)
                && self.is_reached(Bytes::of(path, true))
        })
    }

    /// Walks along the path, and counts how many parts of the folder it has gone through.
    fn is_reached(&self, path: Bytes<'_>) -> bool {
        let (mut depth, mut common) = (0, 0);
        let mut part = Part::default();
        for byte in path.chain([b'/']) {
            match byte {
                // For the operating system the path ends here.
                0 => return false,
                byte if !is_separator(byte) => {
                    let own: Option<&[u8]> = self.parts.get(depth).map(|part| &**part);
                    part.push(byte, own);
                    continue;
                }
                _ => {}
            }
            match part {
                Part { length: 0, .. }
                | Part {
                    dots: true,
                    length: 1,
                    ..
                } => {}
                Part {
                    dots: true,
                    length: 2,
                    ..
                } if depth > 0 => {
                    depth -= 1;
                    common = common.min(depth);
                }
                Part {
                    dots: true,
                    length: 2,
                    ..
                } => {
                    // Above the root is the root.
                    if !self.absolute {
                        return false;
                    }
                }
                Part { same, length, .. } => {
                    let whole = self.parts.get(depth).is_some_and(|own| own.len() == length);
                    if same && whole && common == depth {
                        common += 1;
                    }
                    depth += 1;
                }
            }
            part = Part::default();
        }
        common == self.parts.len()
    }
}

/// The part of a path between two separators, as far as it has been read.
struct Part {
    length: usize,
    dots: bool,
    /// Whether it begins as the folder's part at this depth.
    same: bool,
}

impl Default for Part {
    fn default() -> Part {
        Part {
            length: 0,
            dots: true,
            same: true,
        }
    }
}

impl Part {
    fn push(&mut self, byte: u8, own: Option<&[u8]>) {
        self.dots &= byte == b'.';
        self.same &= own.and_then(|own| own.get(self.length)) == Some(&byte);
        self.length += 1;
    }
}

/// Splits a URI into scheme, authority and path, without query and fragment.
fn uri(text: &str) -> Option<(&str, &str, &str)> {
    let (scheme, rest) = text.split_once("://")?;
    let rest = &rest[..rest.find(['?', '#']).unwrap_or(rest.len())];
    let (authority, path) = rest.split_at(rest.find(['/', '\\']).unwrap_or(rest.len()));
    Some((scheme, authority, path))
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\'])
}

/// A backslash divides too: it does so on Windows, and elsewhere no honest path has one.
fn is_separator(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

/// The bytes of a path; those of a URI's with `%2e` decoded.
struct Bytes<'p> {
    rest: &'p [u8],
    decoded: bool,
}

impl<'p> Bytes<'p> {
    fn of(path: &'p str, decoded: bool) -> Bytes<'p> {
        Bytes {
            rest: path.as_bytes(),
            decoded,
        }
    }
}

impl Iterator for Bytes<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let digit = |byte: &u8| char::from(*byte).to_digit(16);
        let (byte, rest) = match self.rest {
            [b'%', high, low, rest @ ..] if self.decoded => match (digit(high), digit(low)) {
                #[expect(clippy::cast_possible_truncation, reason = "two hexadecimal digits")]
                (Some(high), Some(low)) => ((high << 4 | low) as u8, rest),
                _ => (b'%', &self.rest[1..]),
            },
            [byte, rest @ ..] => (*byte, rest),
            [] => return None,
        };
        self.rest = rest;
        Some(byte)
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Component, Path, PathBuf};

    use proptest::prelude::*;

    use super::*;

    fn lies(path: &str, folder: &str) -> bool {
        Folder::new(folder).unwrap().holds(path)
    }

    #[test]
    fn a_path_lies_in_a_folder_by_its_names() {
        for (path, folder, expected) in [
            ("/etc/passwd", "/etc", true),
            ("/etc", "/etc/", true),
            ("/etc/", "/etc", true),
            ("/etcetera", "/etc", false),
            ("/et", "/etc", false),
            ("//etc///./passwd", "/etc", true),
            ("/srv/../etc/passwd", "/etc", true),
            ("/etc/../srv", "/etc", false),
            ("/etc/x/../../etc/y", "/etc", true),
            ("/../../etc/x", "/etc", true),
            ("\\etc\\..\\etc\\x", "/etc", true),
            ("/srv/data/..\\..\\etc", "/srv/data", false),
            ("/etc/x\0/../..", "/etc", false),
            ("etc/passwd", "/etc", false),
            ("~/etc", "/etc", false),
            ("", "/etc", false),
            ("/anything", "/", true),
            ("anything", "/", false),
            ("src/main.rs", "src", true),
            ("./src/../src/x", "src", true),
            ("../src/x", "src", false),
            ("src/../../src", "src", false),
            ("/src/x", "src", false),
            ("x", ".", true),
            ("../x", ".", false),
            ("/etc/...", "/etc", true),
            ("/etc/%2e%2e/x", "/etc", true),
            ("C:\\data\\x", "C:/data", true),
            ("C:\\data\\..\\x", "C:/data", false),
        ] {
            assert_eq!(lies(path, folder), expected, "{path:?} in {folder:?}");
        }
    }

    #[test]
    fn a_uri_lies_below_another() {
        for (path, folder, expected) in [
            ("file:///srv/x", "file:///srv", true),
            ("FILE:///srv/x?a#b", "file:///srv", true),
            ("file:///srv/%2e%2e/etc", "file:///srv", false),
            ("file:///srv/..%2Fetc", "file:///srv", false),
            ("file:///srv/..%5cetc", "file:///srv", false),
            ("file:///%73rv/x", "file:///srv", true),
            ("file:///../srv/x", "file:///srv", true),
            ("file:///etc?/../srv", "file:///srv", false),
            ("file:///srv/%zz", "file:///srv", true),
            ("/srv/x", "file:///srv", false),
            ("file:///srv/x", "/srv", false),
            ("https://Docs.example/a/b", "https://docs.example/a", true),
            (
                "https://docs.example.org/a/b",
                "https://docs.example/a",
                false,
            ),
            ("https://docs.example@evil/a", "https://docs.example", false),
            ("file:///my docs/x", "file:///my%20docs", true),
            ("memo://notes/1", "memo://notes", true),
            ("memo://other/1", "memo://notes", false),
        ] {
            assert_eq!(lies(path, folder), expected, "{path:?} in {folder:?}");
        }
    }

    #[test]
    fn a_folder_says_itself_where_it_is() {
        let Err((wrong, help)) = Folder::new("/srv/../etc") else {
            panic!()
        };
        assert_eq!(wrong, "the folder `/srv/../etc` has `..` in it");
        assert_eq!(help, "write the folder without `..`");
    }

    /// The same, by the standard library and with an allocation.
    fn resolved(path: &str) -> PathBuf {
        let mut resolved = PathBuf::new();
        for part in Path::new(path).components() {
            match part {
                Component::ParentDir => _ = resolved.pop(),
                Component::CurDir => {}
                part => resolved.push(part),
            }
        }
        resolved
    }

    proptest! {
        #[test]
        fn absolute_paths_are_resolved_as_the_standard_library_does(
            path in "/([ab./]|\\.\\.){0,20}", folder in "/[ab/]{0,4}"
        ) {
            let expected = resolved(&path).starts_with(resolved(&folder));
            prop_assert_eq!(lies(&path, &folder), expected, "{:?} in {:?}", path, folder);
        }
    }
}
