//! Text with what was found replaced.

use crate::Span;

/// What stands in place of a secret.
pub const REDACTED: &str = "[REDACTED]";

/// The text with each span replaced; the spans are those of [`find`](crate::find) in it.
pub fn redact(text: &str, spans: &[Span]) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut end = 0;
    for span in spans {
        redacted.push_str(&text[end..span.start]);
        redacted.push_str(REDACTED);
        end = span.end;
    }
    redacted.push_str(&text[end..]);
    redacted
}
