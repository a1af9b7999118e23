//! Finds secrets and personal data in text: tokens by their form, numbers by their check digits, passwords by their label.
//!
//! One pass of an automaton looks for the words that a finding begins with or is announced by; only their
//! surroundings are read closely. So clean text costs little, and every text costs time in proportion to its length.
//!
//! - Keys and tokens are found by their form. The rules have the ids of gitleaks where gitleaks has the rule.
//! - Card numbers and IBANs count only with the right check digits. A social security number needs its separators.
//! - Seed phrases of wallets are found by their words (BIP-39).
//! - Passwords, keys and PINs are found by what the text calls them: `Passwort: …`, `le mot de passe du wifi est …`,
//!   `pw …`. The labels are those of English, German, French, Spanish, Portuguese, Italian, Dutch and Polish, and the
//!   word for a password in some more languages.
//!
//! A label alone is no secret: `the password is wrong` stays. A value counts when it has letters and digits or a sign,
//! when it is quoted, or when it is the last word of its clause and no word that usually stands there. So a sentence such
//! as `the password is patience` loses its last word, and a passphrase of several plain words without quotation marks is
//! not found. The hash of a commit, a digest and a UUID are no findings.
//!
//! ```
//! use hooks_sdk::plugin::finder;
//!
//! let text = "Kim's IBAN is DE89 3704 0044 0532 0130 00";
//! let findings = finder::find(text);
//! assert_eq!(findings[0].rule, "iban");
//! assert_eq!(finder::redact(text, &findings), "Kim's IBAN is [REDACTED]");
//! ```

mod address;
mod doubt;
mod iban;
mod kind;
mod label;
mod label_words;
#[cfg(test)]
mod languages;
mod number;
mod pem;
mod phrase;
mod redact;
mod run;
mod scan;
mod shapes;
#[cfg(test)]
mod tests;
mod value;

pub use doubt::looks_secret;
pub use kind::{Finding, FindingKind};
pub use redact::{REDACTED, redact};
#[cfg(feature = "policy")]
pub(crate) use scan::named;
pub use scan::{find, find_where};
