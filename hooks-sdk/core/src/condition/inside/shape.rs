//! How a reader splits a path into names.

/// Every shape.
pub(super) const SHAPES: [Shape; 3] = [Shape::Slash, Shape::Backslash, Shape::Windows];

/// How a reader splits a path into names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Only `/` divides, as in POSIX.
    Slash,
    /// `\` divides, too, as in the URLs of browsers.
    Backslash,
    /// `\` divides, too, and dots and spaces at the end of a name count nothing. A path may begin with a drive or with
    /// the name of a computer.
    Windows,
}

/// Where a part of a path leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathPart<'p> {
    /// Nowhere else.
    Here,
    /// One folder up.
    Up,
    /// To this name.
    Name(&'p [u8]),
}

impl Shape {
    pub(super) fn divides(self, byte: u8) -> bool {
        byte == b'/' || byte == b'\\' && self != Shape::Slash
    }

    pub(super) fn step(self, part: &[u8]) -> PathPart<'_> {
        let part = match self {
            Shape::Windows => trimmed(part),
            Shape::Slash | Shape::Backslash => part,
        };
        match part {
            b"" | b"." => PathPart::Here,
            b".." => PathPart::Up,
            name => PathPart::Name(name),
        }
    }
}

/// Returns a name without the dots and spaces at its end.
fn trimmed(part: &[u8]) -> &[u8] {
    let is_trimmed = |byte: &u8| matches!(byte, b' ' | b'.');
    let behind = part
        .iter()
        .rev()
        .take_while(|byte| is_trimmed(byte))
        .count();
    match &part[..part.len() - behind] {
        // Two dots are one folder up, also with spaces behind them.
        b"" if part.starts_with(b"..") && !part[2..].contains(&b'.') => b"..",
        name => name,
    }
}

/// Returns a path without the mark that Windows takes for "as it is written".
pub(super) fn without_prefix(path: &[u8]) -> &[u8] {
    match path {
        [a, b, b'?' | b'.', c, rest @ ..]
            if [a, b, c].iter().all(|byte| Shape::Windows.divides(**byte)) =>
        {
            rest
        }
        _ => path,
    }
}
