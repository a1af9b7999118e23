//! Finds secrets and personal data in text: what a redaction takes out, and what a memory does not keep.

mod address;
mod check;
mod doubt;
mod find;
mod iban;
mod label;
mod label_words;
mod phrase;
mod redact;
mod value;

pub use doubt::looks_secret;
pub use find::{Kind, Span, find};
pub use redact::{REDACTED, redact};
