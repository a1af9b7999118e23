//! A file's bytes as text that can be edited without losing any of them.

use std::{ops::Range, path::Path};

use super::error::{ConfigError, Obstacle};

const MARK: &str = "\u{feff}";

/// The text of a file, its byte order mark apart.
pub(super) struct Text<'a> {
    mark: &'a str,
    /// What follows the mark.
    pub(super) body: &'a str,
}

impl<'a> Text<'a> {
    pub(super) fn read(file: &Path, bytes: &'a [u8]) -> Result<Text<'a>, ConfigError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            ConfigError::new(
                Obstacle::Encoding,
                file,
                "the file is not UTF-8",
                "save it as UTF-8",
            )
            .at(&valid, valid.len())
        })?;
        Ok(match text.strip_prefix(MARK) {
            Some(body) => Text { mark: MARK, body },
            None => Text {
                mark: "",
                body: text,
            },
        })
    }

    /// Returns whether the file begins with a byte order mark.
    pub(super) fn has_mark(&self) -> bool {
        !self.mark.is_empty()
    }

    /// Returns the bytes of the file with this body.
    pub(super) fn with(&self, body: &str) -> Vec<u8> {
        [self.mark, body].concat().into_bytes()
    }
}

/// Returns the line ending of a text's first line, else the plain one.
pub(super) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Where the line begins in which a byte stands.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1)
}

/// Returns the blanks at the beginning of the line in which a byte stands.
pub(super) fn indentation(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..at];
    &line[..line.len() - line.trim_start_matches(is_blank).len()]
}

/// Returns the blanks before a byte, when nothing else stands before it in its line and it is not the first line.
pub(super) fn alone_after(text: &str, at: usize) -> Option<&str> {
    let start = line_start(text, at);
    (start > 0 && text[start..at].chars().all(is_blank)).then(|| &text[start..at])
}

/// Where the blanks from a byte on end.
pub(super) fn skip_blanks(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start_matches(is_blank).len()
}

/// Where the next line begins, when only blanks stand between a byte and the end of its line.
pub(super) fn next_line(text: &str, at: usize) -> Option<usize> {
    let end = skip_blanks(text, at);
    let rest = &text[end..];
    ["\r\n", "\n", "\r"]
        .into_iter()
        .find(|newline| rest.starts_with(newline))
        .map(|newline| end + newline.len())
}

/// Returns the text with ranges, none of which overlap, replaced.
pub(super) fn splice(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut edited = String::with_capacity(text.len() + 256);
    let mut at = 0;
    for (range, new) in edits {
        edited.push_str(&text[at..range.start]);
        edited.push_str(&new);
        at = range.end;
    }
    edited.push_str(&text[at..]);
    edited
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t')
}
