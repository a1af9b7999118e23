//! A file's bytes as text that can be edited without losing any of them.

use std::path::Path;

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
            let wrong = "the file is not UTF-8";
            let error = ConfigError::new(Obstacle::Encoding, file, wrong, "save it as UTF-8");
            error.at(&valid, valid.len())
        })?;
        let (mark, body) = match text.strip_prefix(MARK) {
            Some(body) => (MARK, body),
            None => ("", text),
        };
        Ok(Text { mark, body })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_seen_and_kept() {
        let read = |text: &'static str| Text::read(Path::new("a"), text.as_bytes()).unwrap();
        let marked = read("\u{feff}{}");
        assert!(marked.has_mark() && !read("{}").has_mark());
        assert_eq!(
            (marked.body, marked.with("[]")),
            ("{}", "\u{feff}[]".into())
        );
    }
}
