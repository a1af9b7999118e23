//! The value behind a label, and whether it could be a secret.

use std::ops::Range;

use super::label_words::Role;

/// The longest value in quotation marks, in bytes; what is longer is a quotation.
const LONGEST: usize = 128;
/// How much of a value is judged, in bytes.
const JUDGED: usize = 200;
/// What begins and what ends a quotation.
const QUOTES: &[(char, &str)] = &[
    ('"', "\""),
    ('\'', "'"),
    ('`', "`"),
    ('“', "”“\""),
    ('„', "“”\""),
    ('‘', "’‘"),
    ('‚', "‘’"),
    ('«', "»"),
    ('»', "«"),
];
/// Signs of passwords, which words do not have.
const SIGNS: &str = "!@#$%^&*+~?";
/// Units that numbers have.
const UNITS: &[&str] = &[
    "b", "bit", "bits", "bytes", "chars", "d", "days", "digits", "gb", "h", "hours", "k", "kb",
    "m", "mb", "min", "mins", "ms", "nd", "rd", "s", "sec", "secs", "st", "th", "tokens", "x",
];

/// A value as it stands in a text.
#[derive(Debug)]
pub(super) struct Value<'t> {
    pub(super) text: &'t str,
    /// Where it stands, in bytes.
    place: Range<usize>,
    pub(super) quoted: bool,
    /// Whether nothing more follows in its clause.
    last: bool,
}

impl<'t> Value<'t> {
    /// The value that begins at a place, behind blanks and marks of emphasis.
    pub(super) fn at(text: &'t str, at: usize) -> Option<Value<'t>> {
        let rest = text[at..].trim_start_matches([' ', '\t', '\u{a0}', '*', '_']);
        let start = text.len() - rest.len();
        let opening = rest.chars().next()?;
        if let Some((_, closing)) = QUOTES.iter().find(|(open, _)| *open == opening) {
            let inner = start_of(&rest[opening.len_utf8()..], LONGEST + 4);
            let length = inner.find(|c: char| closing.contains(c) || c == '\n')?;
            let ended = inner[length..].starts_with(|c: char| closing.contains(c));
            let place = start + opening.len_utf8();
            return (ended && length <= LONGEST).then(|| Value {
                text: &inner[..length],
                place: place..place + length,
                quoted: true,
                last: true,
            });
        }
        let whole = run(start_of(rest, JUDGED));
        let value = whole.trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '*', '_', '…']);
        let behind = rest[value.len()..].trim_start_matches([' ', '\t', '*', '_']);
        (!value.is_empty()).then(|| Value {
            text: value,
            place: start..start + value.len(),
            quoted: false,
            last: behind.is_empty()
                || behind.starts_with(['.', ',', ';', ')', '\n', '\r', '"', '\'']),
        })
    }

    /// Where it stands, to its end also where it is too long to be judged whole.
    pub(super) fn place(&self, text: &str) -> Range<usize> {
        if self.text.len() < JUDGED {
            return self.place.clone();
        }
        self.place.start..self.place.start + run(&text[self.place.start..]).len()
    }

    /// Whether it ends with a sign, however long it is.
    pub(super) fn ends_with(&self, text: &str, sign: char) -> bool {
        text[self.place(text)].ends_with(sign)
    }

    /// Whether it could be nothing else: letters and digits together, or with a sign.
    pub(super) fn is_telling(&self) -> bool {
        let text = self.text;
        let has = |kind: fn(char) -> bool| text.chars().any(kind);
        let letters = has(char::is_alphabetic);
        let signs = text
            .trim_end_matches(['!', '?'])
            .contains(|c| SIGNS.contains(c));
        text.chars().count() >= 4
            && letters
            && (has(|c| c.is_ascii_digit()) || signs)
            && !self.is_something_else()
    }

    /// So many digits and nothing else.
    pub(super) fn is_digits(&self, count: Range<usize>) -> bool {
        count.contains(&self.text.len()) && self.text.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// A word by itself that a password could be, or a quotation.
    pub(super) fn is_word(&self) -> bool {
        if self.quoted {
            return self.text.chars().count() >= 3 && !self.is_something_else();
        }
        let word = self.text.trim_end_matches(['!', '?']);
        let lower = word.to_lowercase();
        self.last
            && lower.chars().count() >= 3
            && word.chars().all(|c| c.is_alphabetic() || c == '-')
            && !self.is_something_else()
    }

    /// An ordinary word, a method, a number with its unit, a variable, a path, a call, or stars.
    fn is_something_else(&self) -> bool {
        let lower = self.text.trim_end_matches(['!', '?']).to_lowercase();
        let after_number = lower.trim_start_matches(|c: char| c.is_ascii_digit());
        let measured = after_number.len() < lower.len() && UNITS.contains(&after_number);
        let mut letters = lower.chars();
        let first = letters.next();
        let variable = lower.starts_with(['{', '[', '<', '%', '/', '&', '('])
            || ["$(", "${", "./", "~/", "http:", "https:"]
                .iter()
                .any(|start| lower.starts_with(start))
            || self.text.strip_prefix('$').is_some_and(|name| {
                name.chars()
                    .all(|c| c == '_' || c.is_ascii_uppercase() || c.is_ascii_digit())
            });
        // Two `=` at the end are base64.
        let code = ["(", "::", "->", "{{", "==", "…", "..."]
            .iter()
            .any(|sign| lower.trim_end_matches('=').contains(sign));
        variable
            || measured
            || code
            || Role::of(&lower).ordinary
            || letters.all(|letter| Some(letter) == first)
    }
}

/// What a text begins with, so many bytes of it at most.
fn start_of(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The text up to a blank or a sign that no value has.
fn run(text: &str) -> &str {
    let end = text.find(|c: char| c.is_whitespace() || "\"'`<>|".contains(c));
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_where_its_quotation_or_its_word_does() {
        for (text, value, last) in [
            (" hunter2.", "hunter2", true),
            ("**geheim**, und", "geheim", true),
            ("\"correct horse\" is", "correct horse", true),
            ("„Sommer im Juli“", "Sommer im Juli", true),
            ("rotated monthly", "rotated", false),
        ] {
            let found = Value::at(text, 0).unwrap();
            assert_eq!((found.text, found.last), (value, last), "{text}");
            assert_eq!(&text[found.place.clone()], value);
        }
        for text in ["", "   ", "\"open", "...", "'"] {
            assert!(Value::at(text, 0).is_none(), "{text}");
        }
    }

    #[test]
    fn what_is_something_else_is_no_secret() {
        for text in [
            "SHA256",
            "4096tokens",
            "$DB_PASSWORD1",
            "${PASSWORD1}",
            "/run/secrets/db1",
            "sha256(x)",
            "Token2::new",
            "****",
            "https://a.b/1",
        ] {
            assert!(
                !Value::at(text, 0).is_some_and(|value| value.is_telling()),
                "{text}"
            );
        }
        for text in ["hunter2", "S3cr3t!", "p@ssword", "$2b$12$abc", "0x1f2e3d4c"] {
            assert!(Value::at(text, 0).unwrap().is_telling(), "{text}");
        }
    }
}
