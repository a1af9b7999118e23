//! What databases hold instead of keys: digests, so that a reader of the database cannot take over a session.

use sha2::{Digest as _, Sha256};

use super::Key;

/// The SHA-256 of a key.
pub(super) type Digest = [u8; 32];

pub(super) fn digest(key: &Key) -> Digest {
    Sha256::digest(key.as_slice()).into()
}

/// Writes the bytes as hexadecimal digits.
#[cfg(any(feature = "redis", feature = "postgres"))]
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}
