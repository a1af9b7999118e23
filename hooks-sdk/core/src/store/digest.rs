//! What databases hold instead of keys: digests, so that a reader of the database cannot take over a session.

use sha2::{Digest as _, Sha256};

use super::Key;

/// Returns the SHA-256 of a key.
pub(super) fn digest(key: &Key) -> [u8; 32] {
    Sha256::digest(key.as_slice()).into()
}

/// Writes the bytes as hexadecimal digits.
#[cfg(feature = "redis")]
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}
