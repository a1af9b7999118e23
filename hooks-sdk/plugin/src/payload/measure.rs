//! The size of a payload: the characters of its texts, and those of its names and numbers.

use std::fmt::{self, Write};

use serde_json::{Map, Value};

use super::HttpHeaders;
use hooks_core::internal::{JsonPart, json_parts};

/// The characters of names and numbers that do not count, so that a small limit does not refuse every call of a tool.
const FREE: usize = 64;

/// Counts characters up to a limit.
pub(super) struct Measure {
    texts: usize,
    /// The names of members and items, and numbers. They have the same limit, and do not take from that of the texts.
    names: usize,
    limit: usize,
}

impl Measure {
    pub(super) fn new(limit: usize) -> Measure {
        Measure {
            texts: 0,
            names: 0,
            limit: limit.min(usize::MAX / 2),
        }
    }

    pub(super) fn text(mut self, text: &str) -> Measure {
        self.texts += count(text, self.limit, self.texts);
        self
    }

    pub(super) fn name(mut self, name: &str) -> Measure {
        self.names += count(name, self.limit + FREE, self.names);
        self
    }

    pub(super) fn map(mut self, map: &Map<String, Value>) -> Measure {
        for (name, value) in map {
            self = self.name(name);
            self.value(value);
        }
        self
    }

    pub(super) fn json(mut self, value: &Value) -> Measure {
        self.value(value);
        self
    }

    pub(super) fn headers<'h>(self, headers: impl IntoIterator<Item = &'h HttpHeaders>) -> Measure {
        let all = headers.into_iter().flat_map(HttpHeaders::iter);
        all.fold(self, |measure, (name, value)| {
            measure.name(name).text(value)
        })
    }

    /// Returns the larger of the two counts.
    pub(super) fn ended(self) -> usize {
        self.texts.max(self.names.saturating_sub(FREE))
    }

    fn value(&mut self, value: &Value) {
        // Most arguments are texts.
        if let Value::String(text) = value {
            self.texts += count(text, self.limit, self.texts);
            return;
        }
        for (_, part) in json_parts(value) {
            match part {
                _ if self.texts > self.limit || self.names > self.limit + FREE => return,
                JsonPart::Name(name) => self.names += count(name, self.limit + FREE, self.names),
                JsonPart::Value(Value::String(text)) => {
                    self.texts += count(text, self.limit, self.texts);
                }
                JsonPart::Value(Value::Number(number)) => {
                    let mut digits = Digits(0);
                    // Nothing of it can fail: counting writes nowhere.
                    _ = write!(digits, "{number}");
                    self.names += digits.0;
                }
                JsonPart::Value(_) => {}
            }
        }
    }
}

/// Counts the characters of a text, up to one more than the limit leaves.
fn count(text: &str, limit: usize, counted: usize) -> usize {
    // A text with so few bytes has at most as many characters.
    let left = limit.saturating_sub(counted);
    if text.len() <= left && text.is_ascii() {
        text.len()
    } else {
        text.chars().take(left + 1).count()
    }
}

/// Counts what is written.
struct Digits(usize);

impl Write for Digits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}
