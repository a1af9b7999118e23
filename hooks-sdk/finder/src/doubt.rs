//! Whether a text is better not kept: it has a secret, or something that could be one.

use super::{FindingKind, scan::found};

/// How keys of well-known services begin, also where a key is shorter than the service's own.
const PREFIXES: &[&str] = &[
    "sk-",
    "sk_",
    "rk_",
    "pk_live",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "npm_",
    "hf_",
    "eyJ",
    "-----BEGIN",
];

/// From this length on a run of letters and digits is taken for a key or a digest.
const RUN: usize = 32;

/// Whether a text has a secret in it, or something that looks like one.
///
/// Besides the [secrets](super::FindingKind::is_secret) that [`find`](super::find) finds, these are the beginnings of well-known keys,
/// random runs of 32 letters and digits or more, and any last word behind `the password is`. It errs on the side of yes,
/// for a caller that can do without the text.
///
/// ```
/// use hooks_sdk::plugin::finder::looks_secret;
///
/// assert!(looks_secret("Das WLAN-Passwort lautet sommer12"));
/// assert!(!looks_secret("The password is rotated every month"));
/// assert!(!looks_secret("Kim's address is kim@example.org"));
/// ```
pub fn looks_secret(text: &str) -> bool {
    text.split(is_between).any(is_key)
        || runs(text).any(is_random)
        || !found(text, &|kind: FindingKind| kind.is_secret(), true).is_empty()
}

fn is_between(letter: char) -> bool {
    letter.is_whitespace() || "\"'`()[]{}<>,;=:|".contains(letter)
}

fn is_key(word: &str) -> bool {
    let known = PREFIXES.iter().find(|prefix| word.starts_with(**prefix));
    known.is_some_and(|prefix| word.len() >= prefix.len() + 6 || prefix.starts_with('-'))
}

fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && !"+=".contains(letter))
}

fn is_random(run: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| run.as_bytes().iter().any(kind);
    run.len() >= RUN && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::looks_secret;

    #[test]
    fn what_looks_secret_is_seen() {
        for line in [
            "the key is sk-abc123def456",
            "use `ghp_0123456789abcdef`",
            "export OPENAI=sk-proj-1234567",
            "AKIAIOSFODNN7EXAMPLE is the id",
            "password: hunter2",
            "the admin password was changed to hunter2",
            "The passwords are hunter2 and hunter3",
            "API_KEY=abc",
            "the token is abc",
            "my PIN: 1234",
            "Authorization: Bearer abc",
            "postgres://kim:hunter2@db/shop",
            "-----BEGIN RSA PRIVATE KEY-----",
            "digest 0123456789abcdef0123456789abcdef",
        ] {
            assert!(looks_secret(line), "{line}");
        }
    }

    #[test]
    fn what_is_about_secrets_is_not_one() {
        for line in [
            "tokens expire after an hour",
            "the password field is masked",
            "task-force meets on Fridays",
            "see src/auth/token.rs and https://example.com/a@b:c",
            "0192f0c1-2b3c-7d4e-8f90-123456789abc is the memory",
            "shipping: two days; opinion: none",
            "",
        ] {
            assert!(!looks_secret(line), "{line}");
        }
    }
}
