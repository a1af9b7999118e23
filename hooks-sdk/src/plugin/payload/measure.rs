//! The size of a payload: the characters of its strings.

use serde_json::{Map, Value};

/// Counts characters up to a limit.
pub(super) struct Measure {
    counted: usize,
    limit: usize,
}

impl Measure {
    pub(super) fn new(limit: usize) -> Measure {
        Measure { counted: 0, limit }
    }

    pub(super) fn text(mut self, text: &str) -> Measure {
        self.count(text);
        self
    }

    pub(super) fn map(mut self, map: &Map<String, Value>) -> Measure {
        for value in map.values() {
            self.value(value);
        }
        self
    }

    pub(super) fn json(mut self, value: &Value) -> Measure {
        self.value(value);
        self
    }

    pub(super) fn ended(self) -> usize {
        self.counted
    }

    fn count(&mut self, text: &str) {
        // A text with so few bytes has at most as many characters.
        let left = self.limit.saturating_sub(self.counted);
        self.counted += if text.len() <= left && text.is_ascii() {
            text.len()
        } else {
            text.chars().take(left + 1).count()
        };
    }

    /// Does not recurse, so that a deep payload cannot exhaust the stack.
    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => return self.count(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => return,
            Value::Array(_) | Value::Object(_) => {}
        }
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match value {
                _ if self.counted > self.limit => return,
                Value::String(text) => self.count(text),
                Value::Array(values) => open.extend(values),
                Value::Object(members) => open.extend(members.values()),
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
    }
}
