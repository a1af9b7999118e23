//! Short byte strings without an allocation, and keys with a constant-time comparison.

use std::{
    fmt,
    hash::{Hash, Hasher},
};

use super::StoreError;

/// The largest value of an entry, in bytes (1 MiB).
pub const LARGEST_VALUE: usize = 1024 * 1024;

/// The longest byte string that needs no allocation.
const INLINE: usize = 22;

/// The bytes of a value. Up to 22 bytes need no allocation.
#[derive(Clone)]
pub struct Bytes(Form);

#[derive(Clone)]
enum Form {
    Inline { len: u8, bytes: [u8; INLINE] },
    Heap(Box<[u8]>),
}

impl Bytes {
    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        match &self.0 {
            Form::Inline { len, bytes } => &bytes[..usize::from(*len)],
            Form::Heap(bytes) => bytes,
        }
    }

    /// Checks that a store keeps a value of this size.
    ///
    /// # Errors
    ///
    /// [`StoreError::TooLarge`].
    pub fn check_size(&self) -> Result<(), StoreError> {
        match self.as_slice().len() {
            size if size > LARGEST_VALUE => Err(StoreError::TooLarge(size)),
            _ => Ok(()),
        }
    }

    /// Joins the parts.
    pub fn of(parts: &[&[u8]]) -> Bytes {
        let len: usize = parts.iter().map(|part| part.len()).sum();
        if len > INLINE {
            return Bytes(Form::Heap(parts.concat().into()));
        }
        let mut bytes = [0; INLINE];
        let mut rest = &mut bytes[..];
        for part in parts {
            let (to, after) = rest.split_at_mut(part.len());
            to.copy_from_slice(part);
            rest = after;
        }
        Bytes(Form::Inline {
            len: len as u8,
            bytes,
        })
    }
}

impl From<&[u8]> for Bytes {
    fn from(from: &[u8]) -> Bytes {
        Bytes::of(&[from])
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Bytes) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Bytes {}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.as_slice().escape_ascii())
    }
}

/// The name of an entry.
///
/// Whoever knows a session's key controls the session. So the time of a comparison does not depend on the
/// keys' bytes, and `Debug` hides them.
#[derive(Clone)]
pub struct Key(Bytes);

impl Key {
    /// Makes a key of these bytes. Up to 22 bytes need no allocation.
    pub fn new(bytes: &[u8]) -> Key {
        Key(bytes.into())
    }

    /// Makes a key of the parts in a row.
    pub(crate) fn of(parts: &[&[u8]]) -> Key {
        Key(Bytes::of(parts))
    }

    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        self.0.as_slice()
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        match (&self.0.0, &other.0.0) {
            // Compares the whole array, whatever the length: the bytes behind the length are 0.
            (
                Form::Inline { len: a, bytes: one },
                Form::Inline {
                    len: b,
                    bytes: other,
                },
            ) => same(one, other) && a == b,
            _ => same(self.as_slice(), other.as_slice()),
        }
    }
}

#[inline]
fn same(one: &[u8], other: &[u8]) -> bool {
    let difference = one.iter().zip(other).fold(0, |seen, (a, b)| seen | (a ^ b));
    // Without the barrier, the compiler may leave the loop at the first difference.
    one.len() == other.len() && std::hint::black_box(difference) == 0
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Hashes only the bytes, not their length: equal keys have equal bytes.
        state.write(self.as_slice());
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({} bytes)", self.as_slice().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_whatever_their_length() {
        for len in [0, 1, 21, 22, 23, 255, 256, 70_000] {
            let bytes: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
            assert_eq!(Bytes::from(&bytes[..]).as_slice(), bytes);
            let (one, other) = bytes.split_at(len / 3);
            assert_eq!(Bytes::of(&[one, b"", other]).as_slice(), bytes);
        }
        assert_eq!(size_of::<Bytes>(), 24);
        assert_eq!(
            format!("{:?}", Bytes::from(&b"a\x00\""[..])),
            r#"b"a\x00\"""#
        );
    }

    #[test]
    fn keys_are_equal_only_as_a_whole_and_show_nothing() {
        let key = Key::new(b"0123456789abcdef");
        assert_eq!(key, Key::new(b"0123456789abcdef"));
        for other in [
            &b"0123456789abcdeg"[..],
            b"0123456789abcde",
            b"0123456789abcdef0",
            b"",
        ] {
            assert_ne!(key, Key::new(other));
        }
        assert_eq!(format!("{key:?}"), "Key(16 bytes)");
    }
}
