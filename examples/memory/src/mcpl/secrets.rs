//! What looks like a secret, which is never learned.

/// How keys of well-known services begin.
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

/// Names of what is secret, when a value follows them.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "token",
    "api key",
    "apikey",
    "api_key",
    "api-key",
    "private key",
    "access key",
    "credential",
    "pin",
];

/// From this length on a run of letters and digits is taken for a key or a digest.
const RUN: usize = 32;

/// Whether a line looks as if it had a secret in it: a known prefix, a name with a value, or a long random run.
///
/// It errs on the side of yes: what is not learned can still be stored on purpose.
pub(super) fn looks_secret(line: &str) -> bool {
    line.split(is_between).any(is_key) || has_named_value(line) || runs(line).any(is_random)
}

fn is_between(letter: char) -> bool {
    letter.is_whitespace() || "\"'`()[]{}<>,;=:|".contains(letter)
}

fn is_key(word: &str) -> bool {
    let known = PREFIXES.iter().find(|prefix| word.starts_with(**prefix));
    known.is_some_and(|prefix| word.len() >= prefix.len() + 6 || prefix.starts_with('-'))
}

/// `password: hunter2`, `the API key is …`, `TOKEN=…`, `Bearer …`, and `https://kim:hunter2@host`.
fn has_named_value(line: &str) -> bool {
    let line = line.to_lowercase();
    let named = NAMES.iter().any(|name| {
        line.match_indices(name).any(|(at, _)| {
            let whole = !line[..at].ends_with(char::is_alphabetic);
            let rest = line[at + name.len()..].trim_start_matches(['s', '"', '\'', '`', '*', ' ']);
            let value = rest
                .strip_prefix([':', '='])
                .or_else(|| rest.strip_prefix("is "))
                .or_else(|| rest.strip_prefix("are "));
            whole && value.is_some_and(|value| !value.trim().is_empty())
        })
    });
    let in_address = line.split("://").skip(1).any(|address| {
        let host = address.split(['/', ' ']).next().unwrap_or_default();
        host.split_once('@')
            .is_some_and(|(user, _)| user.contains(':'))
    });
    named || in_address || line.contains("bearer ")
}

fn runs(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !letter.is_ascii_alphanumeric() && !"+=".contains(letter))
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
