//! The front matter of a markdown file: a flat map of scalars and lists between two `---` lines.

use crate::{Fault, entries::entries};

/// The most keys that one front matter may have.
pub const MAX_KEYS: usize = 64;

/// The front matter of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FrontMatter {
    /// The keys, in the order of the file.
    pub entries: Vec<Entry>,
    /// The byte offset of the first line after it that is not blank.
    pub body: usize,
}

/// One key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// The line of the key, from 1, in the whole file.
    pub line: usize,
}

/// The value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A single value.
    Scalar(ScalarText),
    /// A list of single values.
    List(Vec<ScalarText>),
    /// Names with single values. Only a skill's front matter can have one.
    Map(Vec<(String, ScalarText)>),
}

/// A single value as text. The caller decides on its type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScalarText {
    /// The text. A missing value is empty and not quoted.
    pub text: String,
    /// Whether it was quoted or a block, so that `"50"` is no number.
    pub quoted: bool,
    /// Its line, from 1, in the whole file.
    pub line: usize,
}

/// Reads the front matter of `text`; `None` when its first line is not `---`.
///
/// A byte order mark before the first line is skipped. The caller limits the length of `text`.
///
/// # Errors
///
/// The front matter is not a flat map of scalars and lists; the fault names the first reason.
pub fn front_matter(text: &str) -> Result<Option<FrontMatter>, Fault> {
    read(text, false)
}

/// As [`front_matter`]; with `maps`, a value can be a map of single values.
pub(crate) fn read(text: &str, maps: bool) -> Result<Option<FrontMatter>, Fault> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut at = start;
    let mut yaml_start = None;
    for line in text[start..].split_inclusive('\n') {
        let marker = line.trim_end() == "---";
        match yaml_start {
            None if marker => yaml_start = Some(at + line.len()),
            None => return Ok(None),
            Some(from) if marker => {
                let entries = entries(&text[from..at], maps)?;
                let body = at + line.len() + blank_lines(&text[at + line.len()..]);
                return Ok(Some(FrontMatter { entries, body }));
            }
            Some(_) => {}
        }
        at += line.len();
    }
    match yaml_start {
        None => Ok(None),
        Some(_) => Err(Fault::new(
            1,
            "the front matter is not closed",
            "end it with a line `---`",
        )),
    }
}

/// Returns the length of the leading blank lines of `text`.
fn blank_lines(text: &str) -> usize {
    let lines = text.split_inclusive('\n');
    lines
        .take_while(|line| line.trim().is_empty())
        .map(str::len)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(String, String, usize)> {
        let entries = front_matter(text).unwrap().unwrap().entries;
        let word = |entry: Entry| match entry.value {
            Value::Scalar(scalar) if scalar.quoted => format!("{:?}", scalar.text),
            Value::Scalar(scalar) => scalar.text,
            Value::List(items) => items
                .into_iter()
                .map(|item| item.text)
                .collect::<Vec<_>>()
                .join("|"),
            Value::Map(_) => unreachable!("a hook's front matter is flat"),
        };
        entries
            .into_iter()
            .map(|entry| (entry.key.clone(), word(entry.clone()), entry.line))
            .collect()
    }

    #[test]
    fn scalars_and_lists_with_their_lines() {
        let text = "---\n# a comment\ntype: session\npriority: 50\nname: \"50\"\nnone:\n\
                    tags: [a, 'b c']\nmore:\n  - x\n  - y\nlong: >-\n  one\n  two\n---\nBody\n---\n";
        let expected = [
            ("type", "session", 3),
            ("priority", "50", 4),
            ("name", "\"50\"", 5),
            ("none", "", 6),
            ("tags", "a|b c", 7),
            ("more", "x|y", 8),
            ("long", "\"one two\"", 11),
        ];
        let expected = expected.map(|(key, value, line)| (key.to_owned(), value.to_owned(), line));
        assert_eq!(words(text), expected);
        let body = front_matter(text).unwrap().unwrap().body;
        assert_eq!(&text[body..], "Body\n---\n");
    }

    #[test]
    fn a_comment_that_cuts_no_value_is_passed_over() {
        let text = "---\n# first\na: 'Issue #12' # quoted\nb: c#d#\n  # between\nc: # a list\n  # inside\n  - \"x #y\"\n\
                    d: [e, f] # closed\ng: |\n  h #i\n---\n";
        let read: Vec<String> = words(text).into_iter().map(|(_, value, _)| value).collect();
        assert_eq!(
            read,
            ["\"Issue #12\"", "c#d#", "x #y", "e|f", "\"h #i\\n\""]
        );
    }

    #[test]
    fn line_ends_and_a_byte_order_mark_do_not_matter() {
        let text = "\u{feff}--- \r\ntype: session\r\n---\t\r\n\r\n \r\nBody\r\n";
        assert_eq!(words(text), [("type".to_owned(), "session".to_owned(), 2)]);
        let body = front_matter(text).unwrap().unwrap().body;
        assert_eq!(&text[body..], "Body\r\n");
        for empty in ["---\n---", "---\n\n---\n", "---\n# nothing\n---\n"] {
            assert_eq!(words(empty), [], "{empty:?}");
        }
    }

    #[test]
    fn without_the_first_line_there_is_none() {
        for text in [
            "",
            "Body",
            "\n---\na: 1\n---\n",
            "----\na: 1\n---\n",
            " ---\n",
        ] {
            assert_eq!(front_matter(text), Ok(None), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_flat_map_is_named_with_its_line() {
        let many: String = (0..10_000).map(|n| format!("k{n}: 1\n")).collect();
        let deep = format!("a: {}", "[".repeat(10_000));
        for (yaml, line, message) in [
            ("a: 1\nb: 2\na: 3", 4, "`a` is given twice; first in line 2"),
            ("a: 1\nb: &x 2", 3, "anchors are not allowed"),
            ("a: [&x 2]", 2, "anchors are not allowed"),
            ("a: 1\nb: *x", 3, "aliases are not allowed"),
            ("a: !!str 2", 2, "tags are not allowed"),
            ("&x a: 1", 2, "anchors are not allowed"),
            ("a:\n  b: 1", 3, "`a` has a value inside a value"),
            ("a: {b: 1}", 2, "`a` has a value inside a value"),
            ("a: [[1]]", 2, "`a` has a value inside a value"),
            ("a: [b: 1]", 2, "`a` has a value inside a value"),
            ("- a\n- b", 2, "this is no `key: value`"),
            ("just words", 2, "this is no `key: value`"),
            ("[a]: 1", 2, "a key is a single word"),
            ("a: 1\n...\nb: 2", 4, "a second document begins"),
            (
                "a: 1\nb: Issue #12 first",
                3,
                "the value ends before ` #`, which begins a comment",
            ),
            (
                "a: é\t#x",
                2,
                "the value ends before ` #`, which begins a comment",
            ),
            (
                "a: #12",
                2,
                "the value ends before ` #`, which begins a comment",
            ),
            (
                "a:\n  - b\n  - c #d",
                4,
                "the value ends before ` #`, which begins a comment",
            ),
            (
                "a: [b #c\n  ]",
                2,
                "the value ends before ` #`, which begins a comment",
            ),
            (
                "a: one\n  two # three",
                3,
                "the value ends before ` #`, which begins a comment",
            ),
            (&many, 66, "more than 64 keys"),
            (&deep, 2, "this is not YAML: recursion limit exceeded"),
        ] {
            let problem = front_matter(&format!("---\n{yaml}\n---\nBody")).unwrap_err();
            assert_eq!(
                (problem.line, &*problem.message),
                (line, message),
                "{yaml:.40}"
            );
        }
        let problem = front_matter("---\na: 1\nb: \"open\n---\n").unwrap_err();
        assert!(
            problem.message.starts_with("this is not YAML: ") && problem.line >= 3,
            "{problem}"
        );
    }

    #[test]
    fn a_front_matter_that_is_not_closed_is_an_error() {
        for text in ["---", "---\n", "---\na: 1\nBody\n--- x\n"] {
            let problem = front_matter(text).unwrap_err();
            assert_eq!(
                (problem.line, &*problem.message),
                (1, "the front matter is not closed")
            );
        }
    }
}
