//! Finds secrets and personal data in text: tokens by their form, numbers by their check digits, passwords by their label.
//!
//! One pass of an automaton looks for the words that a finding begins with or is announced by; only their
//! surroundings are read closely. So clean text costs little, and every text costs time in proportion to its length.
//!
//! - Keys and tokens are found by their form. The rules have the ids of gitleaks where gitleaks has the rule.
//! - Card numbers and IBANs count only with the right check digits. A social security number needs its separators.
//! - Passwords, keys and PINs are found by what the text calls them: `Passwort: …`, `the password is …`, `pw …`,
//!   `login kim / …`. The labels are one list of words, in English and German.
//! - JSON in a text is read without its escapes, and a member such as `"apiKey"` is a finding whatever its value is.
//!
//! A label alone is no secret: `the password is wrong` stays. In a sentence a value counts when it has letters and digits
//! or a sign, or when it is quoted; behind a colon or an equals sign also when it is the last word of its clause, and no
//! word of documentation such as `required`. So a password that is a plain word is found in `password: patience` and not
//! in `the password is patience`, and a passphrase of several plain words without quotation marks is not found.
//! [`looks_secret`] is stricter. The hash of a commit, a digest and a UUID are no findings.
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
mod escaped;
mod iban;
mod kind;
mod label;
mod label_words;
mod member;
mod number;
mod pem;
mod redact;
mod run;
mod scan;
mod shapes;
#[cfg(test)]
mod tests;
mod value;
mod words;

pub use doubt::looks_secret;
pub use kind::{Finding, FindingKind};
pub use redact::{REDACTED, redact};
pub use scan::{find, find_where};

/// Not public API: what other packages of hooks-sdk use of this crate. They share its version.
#[doc(hidden)]
pub mod internal {
    pub use crate::{
        label_words::{Announces, LABELS},
        scan::{named, names_secret},
        words::words_of,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
