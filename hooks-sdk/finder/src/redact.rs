//! Text with what was found replaced.

use super::Finding;

/// The text that replaces a secret.
pub const REDACTED: &str = "[REDACTED]";

/// Returns the text with each finding replaced by [`REDACTED`]; the findings are those of [`find`](super::find) in it.
pub fn redact(text: &str, findings: &[Finding]) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut end = 0;
    for found in findings {
        redacted.push_str(&text[end..found.start]);
        redacted.push_str(REDACTED);
        end = found.end;
    }
    redacted.push_str(&text[end..]);
    redacted
}
