//! Reads a condition's text piece by piece: spaces, words and quoted texts.

use super::ConditionFault;

/// A place in a condition's text.
pub(super) struct Text<'t> {
    pub(super) whole: &'t str,
    pub(super) at: usize,
}

/// Whether this is a word: letters, digits and `_`, and no digit first.
pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty() && Text::new(text).word_length() == text.len()
}

impl<'t> Text<'t> {
    pub(super) fn new(whole: &'t str) -> Text<'t> {
        Text { whole, at: 0 }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.whole[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Steps over `text` if it is next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    pub(super) fn skip_spaces(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// As [`eat`](Text::eat), after spaces.
    pub(super) fn next_is(&mut self, text: &str) -> bool {
        self.skip_spaces();
        self.eat(text)
    }

    pub(super) fn fault<T>(
        &self,
        at: usize,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Result<T, ConditionFault> {
        Err(ConditionFault::new(self.whole, at, message, help))
    }

    /// Returns the next piece for a message: a word, or one other character.
    pub(super) fn shown(&self) -> &'t str {
        let rest = self.rest();
        match self.word_length() {
            0 => &rest[..rest.chars().next().map_or(0, char::len_utf8)],
            length => &rest[..length],
        }
    }

    /// Takes a word; empty if there is none. `r#` in front of it is Rust's, and falls away.
    pub(super) fn word(&mut self) -> &'t str {
        let raw = self.rest().strip_prefix("r#");
        if raw.is_some_and(|raw| !raw.starts_with(['"', '#'])) {
            self.at += 2;
        }
        let word = &self.rest()[..self.word_length()];
        self.at += word.len();
        word
    }

    fn word_length(&self) -> usize {
        let rest = self.rest();
        if rest.starts_with(|first: char| first.is_numeric()) {
            return 0;
        }
        rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .unwrap_or(rest.len())
    }

    /// Whether a quoted text is next.
    pub(super) fn is_quoted(&self) -> bool {
        let rest = self.rest();
        let raw = rest.strip_prefix('r');
        rest.starts_with('"') || raw.is_some_and(|raw| raw.trim_start_matches('#').starts_with('"'))
    }

    /// Takes a text in quotes, with the escapes of Rust, or a raw one.
    pub(super) fn quoted(&mut self) -> Result<String, ConditionFault> {
        let start = self.at;
        if self.eat("r") {
            return self.raw(start);
        }
        self.eat("\"");
        let mut text = String::new();
        loop {
            let at = self.at;
            let Some(letter) = self.peek() else {
                return self.unclosed(start, "\"");
            };
            self.at += letter.len_utf8();
            match letter {
                '"' => return Ok(text),
                '\\' => text.push(self.escape(at)?),
                other => text.push(other),
            }
        }
    }

    fn raw(&mut self, start: usize) -> Result<String, ConditionFault> {
        let rest = self.rest();
        let hashes = &rest[..rest.len() - rest.trim_start_matches('#').len()];
        let end = format!("\"{hashes}");
        let inside = &rest[end.len()..];
        let Some(length) = inside.find(&end) else {
            return self.unclosed(start, &end);
        };
        self.at += 2 * end.len() + length;
        Ok(inside[..length].to_owned())
    }

    fn unclosed<T>(&self, start: usize, end: &str) -> Result<T, ConditionFault> {
        self.fault(start, "the text has no end", format!("add `{end}`"))
    }

    fn escape(&mut self, at: usize) -> Result<char, ConditionFault> {
        let letter = self.peek().unwrap_or_default();
        self.at += letter.len_utf8().min(self.rest().len());
        let read = match letter {
            '"' | '\\' | '\'' => Some(letter),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            '0' => Some('\0'),
            'x' => self.digits(2).filter(char::is_ascii),
            'u' if self.eat("{") => {
                let length = self.rest().find('}').unwrap_or_default();
                let read = self.digits(length);
                read.filter(|_| self.eat("}"))
            }
            _ => None,
        };
        match read {
            Some(read) => Ok(read),
            None => {
                let written = &self.whole[at..self.at];
                let help = "write `\\\\` for a backslash, or a raw text: `r\"…\"`";
                self.fault(at, format!("`{written}` is no escape"), help)
            }
        }
    }

    /// Takes that many hexadecimal digits of a character.
    fn digits(&mut self, length: usize) -> Option<char> {
        let digits = self.rest().get(..length)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let read = u32::from_str_radix(digits, 16).ok()?;
        self.at += length;
        char::from_u32(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_texts_are_those_of_rust() {
        for (written, read) in [
            (r#""""#, ""),
            (r#""a\"b\\c\n\t\0\x41\u{e9}'" x"#, "a\"b\\c\n\t\0Aé'"),
            (r#"r"^\d+$" x"#, r"^\d+$"),
            (r##"r#"a"b"#, x"##, "a\"b"),
        ] {
            let mut text = Text::new(written);
            assert!(text.is_quoted());
            assert_eq!(text.quoted().unwrap(), read, "{written}");
        }
    }

    #[test]
    fn what_is_no_text_says_where() {
        for (written, at, message) in [
            (r#""a"#, 0, "the text has no end"),
            (r#""a\"#, 2, "`\\` is no escape"),
            (r#""a\d""#, 2, "`\\d` is no escape"),
            (r#""\x80""#, 1, "`\\x80` is no escape"),
            (r#""\u{110000}""#, 1, "`\\u{110000` is no escape"),
            (r#""\u{1""#, 1, "`\\u{` is no escape"),
            (r#""\é""#, 1, "`\\é` is no escape"),
            (r##"r#"a""##, 0, "the text has no end"),
        ] {
            let fault = Text::new(written).quoted().unwrap_err();
            assert_eq!((fault.at, &*fault.message), (at, message), "{written}");
        }
    }

    #[test]
    fn words_may_be_keywords_and_not_numbers() {
        for (written, word) in [("r#type.", "type"), ("größe_2=", "größe_2"), ("2a", "")] {
            assert_eq!(Text::new(written).word(), word);
        }
        assert!(is_word("a_1") && !is_word("a-b") && !is_word("") && !is_word("1a"));
    }
}
