//! Whether a path lies in a folder, by its names alone and under each way in which software reads a path.
//!
//! A path is read by several programs: a proxy, a framework, the tool, the operating system. They disagree about `\`,
//! `%2f`, `?`, `#`, NUL, trailing dots and line breaks. So a path has several readings, and a rule picks the strict side:
//! either every reading must lie in the folder, or one is enough.

mod readings;
mod shape;
#[cfg(test)]
mod tests;

use readings::{Reading, decoded_whole, readings};
use shape::{PathPart, SHAPES, Shape};

/// A folder on a disk, or a URI below which others lie.
pub(super) struct Root {
    /// Scheme and authority of a URI.
    base: Option<(Box<str>, Box<str>)>,
    /// The letter of a drive, in lower case.
    drive: Option<u8>,
    /// Whether it begins with two separators: a share in a network.
    share: bool,
    absolute: bool,
    parts: Box<[Name]>,
}

/// A name on the way to the folder.
struct Name {
    written: Box<[u8]>,
    decoded: Box<[u8]>,
}

impl Root {
    pub(super) fn new(text: &str) -> Result<Root, (String, String)> {
        let (base, drive, path) = match uri(text.as_bytes(), Shape::Backslash) {
            Some((scheme, authority, path)) => (
                Some((lossy(scheme).into(), lossy(authority).into())),
                None,
                path,
            ),
            None => {
                let (drive, path) = drive(text.as_bytes());
                (None, drive, path)
            }
        };
        let is_uri = base.is_some();
        let decoded = |part: &[u8]| decoded_whole(part).into_owned();
        let parts: Vec<Name> = path
            .split(|byte| Shape::Backslash.divides(*byte))
            .filter(|part| !matches!(Shape::Backslash.step(part), PathPart::Here))
            .map(|part| Name {
                written: part.into(),
                decoded: decoded(part).into(),
            })
            .collect();
        let up = |name: &Name| *name.written == *b".." || is_uri && *name.decoded == *b"..";
        if parts.iter().any(up) {
            let wrong = format!("the folder `{text}` has `..` in it");
            return Err((wrong, "write the folder without `..`".to_owned()));
        }
        Ok(Root {
            absolute: is_uri || begins_absolute(path, Shape::Backslash),
            share: !is_uri && is_share(path),
            base,
            drive,
            parts: parts.into(),
        })
    }

    /// Whether the path leads into the folder, or to it: under every reading, or under any.
    ///
    /// A relative path never lies in an absolute folder, and one that leaves the place where it starts lies in none.
    pub(super) fn holds(&self, path: &str, every: bool) -> bool {
        if self.base.is_none() && self.drive.is_none() && !self.share && reads_one_way(path) {
            return begins_absolute(path.as_bytes(), Shape::Slash) == self.absolute
                && self.is_reached(path.as_bytes(), Shape::Slash, 0, every);
        }
        if every && self.base.is_none() && (path.starts_with('~') || has_scheme(path)) {
            // A shell, or a reader of URIs, goes elsewhere.
            return false;
        }
        let Some(readings) = readings(path, !every && self.base.is_none()) else {
            return !every;
        };
        let mut each = readings.iter().flat_map(|reading| {
            let shapes = SHAPES.iter().filter(|shape| self.is_read_as(**shape));
            shapes.map(|shape| self.holds_as(reading, *shape, every))
        });
        match every {
            true => each.all(|inside| inside),
            false => each.any(|inside| inside),
        }
    }

    /// Where drives have letters, a backslash always divides.
    fn is_read_as(&self, shape: Shape) -> bool {
        shape != Shape::Slash || self.drive.is_none()
    }

    fn holds_as(&self, reading: &Reading, shape: Shape, every: bool) -> bool {
        let text = &*reading.text;
        if every && text.contains(&0) {
            // For the operating system the path ends here, and a rule about the rest would mean another file.
            return false;
        }
        let Some(base) = &self.base else {
            let (drive, mut path) = match shape {
                Shape::Slash => (None, text),
                Shape::Windows if !every => drive(shape::without_prefix(text)),
                Shape::Windows => drive(text),
                Shape::Backslash if self.drive.is_some() => drive(text),
                Shape::Backslash => (None, text),
            };
            if drive != self.drive || shape == Shape::Windows && is_share(path) != self.share {
                return false;
            }
            if self.share && shape != Shape::Windows {
                path = path.get(1..).unwrap_or_default();
            }
            return begins_absolute(path, shape) == self.absolute
                && self.is_reached(path, shape, reading.level, every);
        };
        let is_base = |scheme: &[u8], authority: &[u8]| {
            let local = |name: &[u8]| !every && name.eq_ignore_ascii_case(b"localhost");
            base.0.as_bytes().eq_ignore_ascii_case(scheme)
                && (base.1.as_bytes().eq_ignore_ascii_case(authority)
                    || base.1.is_empty() && local(authority)
                    || authority.is_empty() && local(base.1.as_bytes()))
        };
        let strict = uri(text, shape);
        let loose = || (!every).then(|| loose_uri(text, shape)).flatten();
        let found = [strict, loose()];
        found.into_iter().flatten().any(|(scheme, at, path)| {
            is_base(scheme, at) && self.is_reached(path, shape, reading.level, every)
        })
    }

    /// Walks along the path, and counts how many names of the folder it has gone through.
    fn is_reached(&self, path: &[u8], shape: Shape, level: u8, every: bool) -> bool {
        let (mut depth, mut common) = (0, 0);
        for part in path.split(|byte| shape.divides(*byte)) {
            match shape.step(part) {
                PathPart::Here => {}
                PathPart::Up if depth > 0 => {
                    depth -= 1;
                    common = common.min(depth);
                }
                // Above the root is the root.
                PathPart::Up if self.absolute => {}
                PathPart::Up => return false,
                PathPart::Name(name) => {
                    let own = self.parts.get(depth).filter(|_| common == depth);
                    if own.is_some_and(|own| self.is_same(own, name, level, every)) {
                        common += 1;
                    }
                    depth += 1;
                }
            }
        }
        common == self.parts.len()
    }

    fn is_same(&self, own: &Name, name: &[u8], level: u8, every: bool) -> bool {
        // Some file systems ignore the case.
        let same = |own: &[u8], name: &[u8]| match every {
            true => own == name,
            false => own.eq_ignore_ascii_case(name),
        };
        if self.base.is_some() {
            return same(&own.decoded, &decoded_whole(name));
        }
        same(&own.written, name) || level > 0 && same(&own.decoded, name)
    }
}

/// Whether all readers of paths agree about this one.
fn reads_one_way(path: &str) -> bool {
    let plain = |byte: u8| {
        byte > b' ' && byte != 0x7f && !matches!(byte, b'\\' | b'%' | b'?' | b'#' | b':')
    };
    let trimmed = |part: &str| part.ends_with('.') && part != "." && part != "..";
    path.bytes().all(plain)
        && !path.starts_with(['~'])
        && !path.starts_with("//")
        && !path.split('/').any(trimmed)
}

fn begins_absolute(path: &[u8], shape: Shape) -> bool {
    path.first().is_some_and(|byte| shape.divides(*byte))
}

/// Whether a path begins with the name of a computer: two separators and no third.
fn is_share(path: &[u8]) -> bool {
    let divides = |at: usize| {
        path.get(at)
            .is_some_and(|byte| Shape::Backslash.divides(*byte))
    };
    divides(0) && divides(1) && !divides(2)
}

/// Splits the letter of a drive off, in lower case.
fn drive(path: &[u8]) -> (Option<u8>, &[u8]) {
    match path {
        [letter, b':', rest @ ..] if letter.is_ascii_alphabetic() => {
            (Some(letter.to_ascii_lowercase()), rest)
        }
        _ => (None, path),
    }
}

/// Whether a reader of URIs would take the text for one.
fn has_scheme(text: &str) -> bool {
    let text = text.trim_start();
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let of_scheme = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
    scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(of_scheme)
        && (rest.starts_with(['/', '\\']) || scheme.eq_ignore_ascii_case("file"))
}

/// Scheme, authority and path.
type Uri<'u> = (&'u [u8], &'u [u8], &'u [u8]);

/// Splits a URI as it should be written.
fn uri(text: &[u8], shape: Shape) -> Option<Uri<'_>> {
    let at = text.windows(3).position(|three| three == b"://")?;
    Some(from_authority(&text[..at], &text[at + 3..], shape))
}

/// Splits a URI as browsers do, which take any number of separators behind the scheme.
fn loose_uri(text: &[u8], shape: Shape) -> Option<Uri<'_>> {
    let at = text.iter().position(|byte| *byte == b':')?;
    let (scheme, rest) = (&text[..at], &text[at + 1..]);
    let marks = rest.iter().take_while(|byte| shape.divides(**byte)).count();
    if scheme.eq_ignore_ascii_case(b"file") && marks != 2 {
        return Some((scheme, b"", rest));
    }
    Some(from_authority(scheme, &rest[marks..], shape))
}

fn from_authority<'u>(scheme: &'u [u8], rest: &'u [u8], shape: Shape) -> Uri<'u> {
    let end = rest.iter().position(|byte| shape.divides(*byte));
    let (authority, path) = rest.split_at(end.unwrap_or(rest.len()));
    (scheme, authority, path)
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
