//! The limits of a hook's text, checked at compile time for embedded texts and at start-up for others.

/// The longest hook text, in bytes (32 KiB).
pub const MAX_TEXT: usize = hooks_text::MAX_TEXT;

/// What is wrong with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextProblem {
    /// Nothing in it but white space.
    Empty,
    /// More than [`MAX_TEXT`] bytes.
    TooLong,
}

/// Returns what is wrong with `text`, if anything. The length is checked first, so that a long text is never scanned.
pub const fn problem(text: &str) -> Option<TextProblem> {
    if text.len() > MAX_TEXT {
        return Some(TextProblem::TooLong);
    }
    if text.trim_ascii().is_empty() {
        return Some(TextProblem::Empty);
    }
    None
}

/// Whether a word is one of some words; usable in constants.
pub const fn is_one_of(words: &[&str], word: &str) -> bool {
    let mut at = 0;
    while at < words.len() && !same(words[at], word) {
        at += 1;
    }
    at < words.len()
}

/// Whether two texts are equal; usable in constants.
pub const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}
