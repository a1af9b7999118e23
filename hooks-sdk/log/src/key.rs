//! The keys that sign a chain.

use std::{fmt, fs, path::Path, sync::Arc};

use ring::hmac;

use crate::LogError;
use hooks_core::internal::hex;

/// The variable with keys, in the form of a key file.
const VARIABLE: &str = "HOOKS_LOG_KEYS";
/// The shortest HMAC key, in bytes.
const SHORTEST: usize = 32;

/// The keys of a log, in the order of their file. The first one signs; all verify. Whoever verifies has the key, and could
/// sign.
///
/// A file has one key a line: an id, `hmac-sha256` and the key in hexadecimal digits. Empty lines and lines that begin with
/// `#` are ignored. To rotate, write the new key above the old ones.
#[derive(Clone, Debug, Default)]
pub struct LogKeys(Arc<[Key]>);

struct Key {
    id: Box<str>,
    key: hmac::Key,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Key").field(&self.id).finish()
    }
}

impl LogKeys {
    /// Reads keys from text.
    ///
    /// # Errors
    ///
    /// A line is no key, or an id occurs twice.
    pub fn parse(text: &str) -> Result<LogKeys, LogError> {
        let mut keys: Vec<Key> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |wrong: &str| LogError::Keys(format!("line {}: {wrong}", at + 1));
            let words: Vec<&str> = line.split_whitespace().collect();
            let [id, kind, secret] = *words else {
                return Err(wrong(
                    "write an id, a kind and a key, with spaces between them",
                ));
            };
            if id.len() > 64
                || !id
                    .bytes()
                    .all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\')
            {
                return Err(wrong(
                    "the id has at most 64 printable characters, without `\"` and `\\`",
                ));
            }
            if keys.iter().any(|key| *key.id == *id) {
                return Err(wrong("the id occurs twice; give each key its own"));
            }
            let secret =
                unhex(secret).ok_or_else(|| wrong("the key is not in hexadecimal digits"))?;
            if kind != "hmac-sha256" {
                return Err(wrong("the kind is `hmac-sha256`"));
            }
            if secret.len() < SHORTEST {
                return Err(wrong("the key is too short; it has at least 32 bytes"));
            }
            keys.push(Key {
                id: id.into(),
                key: hmac::Key::new(hmac::HMAC_SHA256, &secret),
            });
        }
        Ok(LogKeys(keys.into()))
    }

    /// Reads keys from a file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or a line is no key.
    pub fn read(file: &Path) -> Result<LogKeys, LogError> {
        let named = |wrong: String| LogError::Keys(format!("`{}`: {wrong}", file.display()));
        let text = fs::read_to_string(file).map_err(|error| named(error.to_string()))?;
        LogKeys::parse(&text).map_err(|error| match error {
            LogError::Keys(wrong) => named(wrong),
            other => other,
        })
    }

    /// Reads keys from the environment variable `HOOKS_LOG_KEYS`, which has the text of a key file. Without it, there is no
    /// key.
    ///
    /// # Errors
    ///
    /// A line is no key.
    pub fn from_environment() -> Result<LogKeys, LogError> {
        match std::env::var(VARIABLE) {
            Ok(text) => LogKeys::parse(&text),
            Err(_) => Ok(LogKeys::default()),
        }
    }

    /// Makes a line of a key file with a new key.
    ///
    /// # Errors
    ///
    /// The operating system returned no random bytes.
    pub fn generate(id: &str) -> Result<String, LogError> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)
            .map_err(|error| LogError::Start(Arc::new(std::io::Error::other(error))))?;
        Ok(format!("{id} hmac-sha256 {}", hex(&secret)))
    }

    /// Returns whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the id of the key that signs.
    pub fn signer(&self) -> Option<&str> {
        self.0.first().map(|key| &*key.id)
    }

    /// Signs the beginning of a line.
    pub(crate) fn sign(&self, bytes: &[u8]) -> Option<String> {
        let key = self.0.first()?;
        Some(hex(hmac::sign(&key.key, bytes).as_ref()))
    }

    /// Returns whether a signature is right, or `None` if no key has this id.
    pub(crate) fn verify(&self, id: &str, bytes: &[u8], signed: &str) -> Option<bool> {
        let key = self.0.iter().find(|key| *key.id == *id)?;
        let signed = unhex(signed);
        Some(signed.is_some_and(|signed| hmac::verify(&key.key, bytes, &signed).is_ok()))
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    let pairs = (0..text.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok())
        .collect()
}
