//! Tests of the log.

mod edits;
mod user;
mod writing;

use std::{fs, path::Path};

use crate::{LogKeys, LogVerifier, Verified};

/// A key file with one HMAC key.
pub(crate) const KEYS: &str =
    "k1 hmac-sha256 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";

pub(crate) fn lines(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(str::to_owned).collect()
}

pub(crate) fn verified(files: &[&Path], keys: &str) -> Verified {
    let mut verifier = LogVerifier::new(Vec::new()).keys(LogKeys::parse(keys).unwrap());
    for file in files {
        lines(file)
            .iter()
            .for_each(|line| verifier.line(line.as_bytes()));
    }
    verifier.end()
}
