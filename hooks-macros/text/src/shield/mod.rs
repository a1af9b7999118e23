//! The shield around texts that others wrote: as a section of a page, as a quotation, and as quoted lines.

mod sections;
mod turns;

use std::borrow::Cow;

pub use self::{
    sections::{one_line, shield},
    turns::shield_turns,
};

/// The characters that a reader may treat as the end of a line.
const LINE_ENDS: &[char] = &[
    '\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}',
];

/// Quotes every line of a text with `> `, so that no line can look like the writer's own. A control character that is no end
/// of a line and no tab becomes U+FFFD: a terminal obeys such characters.
pub fn quote_lines(text: &str) -> String {
    let is_control = |letter: char| letter.is_control() && letter != '\t';
    let text = text.trim().replace("\r\n", "\n");
    let lines = text.split(LINE_ENDS);
    let lines = lines.map(|line| format!("> {}", line.replace(is_control, "\u{fffd}")));
    lines.collect::<Vec<_>>().join("\n")
}

/// Puts a backslash before the first mark of each line that, without its indentation, `poses` as the writer's own.
pub fn escape_lines(text: &str, poses: impl Fn(&str) -> bool) -> Cow<'_, str> {
    let mut escapes = Escapes::new(text);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let marks = line.trim_start();
        let mark = at + line.len() - marks.len();
        if poses(marks) {
            escapes.put(mark, mark, "\\");
        }
        at += line.len();
    }
    escapes.finish()
}

/// A text with some of its bytes replaced. Nothing is copied while the text needs no change.
struct Escapes<'t> {
    text: &'t str,
    done: usize,
    safe: String,
}

impl<'t> Escapes<'t> {
    fn new(text: &'t str) -> Escapes<'t> {
        Escapes {
            text,
            done: 0,
            safe: String::new(),
        }
    }

    /// Writes `instead` for the bytes from `from` to `to`.
    fn put(&mut self, from: usize, to: usize, instead: &str) {
        self.safe.push_str(&self.text[self.done..from]);
        self.safe.push_str(instead);
        self.done = to;
    }

    fn finish(mut self) -> Cow<'t, str> {
        if self.safe.is_empty() {
            return Cow::Borrowed(self.text);
        }
        self.safe.push_str(&self.text[self.done..]);
        Cow::Owned(self.safe)
    }
}
