//! The keys that sign a chain.

use std::{fmt, fs, path::Path, sync::Arc};

use ring::{
    hmac,
    signature::{self, Ed25519KeyPair, KeyPair},
};

use crate::{LogError, chain::hex};

/// The variable with keys, in the form of a key file.
const VARIABLE: &str = "HOOKS_LOG_KEYS";
/// The shortest HMAC key, in bytes.
const SHORTEST: usize = 32;

/// How a chain is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureKind {
    /// HMAC with SHA-256. Whoever verifies has the key, and could sign.
    Hmac,
    /// Ed25519. Whoever verifies has the public key, and cannot sign.
    Ed25519,
}

/// The keys of a log, in the order of their file. The first one that can sign signs; all verify.
///
/// A file has one key a line: an id, `hmac-sha256`, `ed25519` or `ed25519-public`, and the key in hexadecimal digits. Empty
/// lines and lines that begin with `#` are ignored. To rotate, write the new key above the old ones.
#[derive(Clone, Debug, Default)]
pub struct LogKeys(Arc<[Key]>);

struct Key {
    id: Box<str>,
    of: Secret,
}

enum Secret {
    Hmac(hmac::Key),
    Ed25519(Box<Ed25519KeyPair>),
    Public(Vec<u8>),
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
            let of = match kind {
                "hmac-sha256" if secret.len() >= SHORTEST => {
                    Secret::Hmac(hmac::Key::new(hmac::HMAC_SHA256, &secret))
                }
                "hmac-sha256" => {
                    return Err(wrong("the key is too short; it has at least 32 bytes"));
                }
                "ed25519" => Ed25519KeyPair::from_seed_unchecked(&secret)
                    .map(|pair| Secret::Ed25519(Box::new(pair)))
                    .map_err(|_| wrong("the key has 32 bytes"))?,
                "ed25519-public" if secret.len() == 32 => Secret::Public(secret),
                "ed25519-public" => return Err(wrong("the key has 32 bytes")),
                _ => {
                    return Err(wrong(
                        "the kind is `hmac-sha256`, `ed25519` or `ed25519-public`",
                    ));
                }
            };
            keys.push(Key { id: id.into(), of });
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

    /// Makes a line of a key file with a new key, and for Ed25519 the line for those who verify.
    ///
    /// # Errors
    ///
    /// The operating system returned no random bytes.
    pub fn generate(id: &str, kind: SignatureKind) -> Result<(String, Option<String>), LogError> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)
            .map_err(|error| LogError::Start(Arc::new(std::io::Error::other(error))))?;
        let secret_hex = hex(&secret);
        Ok(match kind {
            SignatureKind::Hmac => (format!("{id} hmac-sha256 {secret_hex}"), None),
            SignatureKind::Ed25519 => {
                let pair = Ed25519KeyPair::from_seed_unchecked(&secret)
                    .map_err(|_| LogError::Keys("the key has 32 bytes".to_owned()))?;
                let public = hex(pair.public_key().as_ref());
                let public = format!("{id} ed25519-public {public}");
                (format!("{id} ed25519 {secret_hex}"), Some(public))
            }
        })
    }

    /// Returns whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the id of the key that signs.
    pub fn signer(&self) -> Option<&str> {
        self.signing().map(|key| &*key.id)
    }

    fn signing(&self) -> Option<&Key> {
        let mut keys = self.0.iter();
        keys.find(|key| !matches!(key.of, Secret::Public(_)))
    }

    /// Signs the beginning of a line.
    pub(crate) fn sign(&self, bytes: &[u8]) -> Option<String> {
        Some(match &self.signing()?.of {
            Secret::Hmac(key) => hex(hmac::sign(key, bytes).as_ref()),
            Secret::Ed25519(pair) => hex(pair.sign(bytes).as_ref()),
            Secret::Public(_) => return None,
        })
    }

    /// Returns whether a signature is right, or `None` if no key has this id.
    pub(crate) fn verify(&self, id: &str, bytes: &[u8], signed: &str) -> Option<bool> {
        let key = self.0.iter().find(|key| *key.id == *id)?;
        let Some(signed) = unhex(signed) else {
            return Some(false);
        };
        let by = |public: &[u8]| {
            let public = signature::UnparsedPublicKey::new(&signature::ED25519, public);
            public.verify(bytes, &signed).is_ok()
        };
        Some(match &key.of {
            Secret::Hmac(key) => hmac::verify(key, bytes, &signed).is_ok(),
            Secret::Ed25519(pair) => by(pair.public_key().as_ref()),
            Secret::Public(public) => by(public),
        })
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
