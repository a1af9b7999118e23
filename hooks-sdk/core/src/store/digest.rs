//! What databases hold instead of keys: digests, so that a reader of the database cannot take over a session.

use sha2::{Digest as _, Sha256};

use super::Key;

/// Returns the SHA-256 of a key.
pub(super) fn digest(key: &Key) -> [u8; 32] {
    Sha256::digest(key.as_slice()).into()
}
