//! What is added to a JSON text, laid out as its neighbours are.

use serde_json::Value;

/// A member of an object, or an element of a list.
pub(in crate::config) struct Item<'i> {
    pub(in crate::config) name: Option<&'i str>,
    pub(in crate::config) value: &'i Value,
}

/// How many lines a value may take.
pub(super) enum Layout<'l> {
    /// One.
    Line,
    /// As many as there are values, each set in by `unit` from `base`.
    Lines {
        base: String,
        unit: &'l str,
        newline: &'static str,
    },
}

impl Item<'_> {
    pub(super) fn render(&self, layout: &Layout<'_>) -> String {
        let mut text = String::new();
        if let Some(name) = self.name {
            text.push_str(&string(name));
            text.push_str(": ");
        }
        layout.write(self.value, 0, &mut text);
        text
    }
}

impl Layout<'_> {
    pub(super) fn value(&self, value: &Value) -> String {
        let mut text = String::new();
        self.write(value, 0, &mut text);
        text
    }

    fn write(&self, value: &Value, depth: usize, to: &mut String) {
        match value {
            Value::Array(elements) if !elements.is_empty() => {
                let write = |element: &Value, to: &mut String| self.write(element, depth + 1, to);
                self.list(elements, ['[', ']'], depth, write, to);
            }
            Value::Object(members) if !members.is_empty() => {
                let write = |(name, value): (&String, &Value), to: &mut String| {
                    to.push_str(&string(name));
                    to.push_str(": ");
                    self.write(value, depth + 1, to);
                };
                self.list(members, ['{', '}'], depth, write, to);
            }
            other => to.push_str(&other.to_string()),
        }
    }

    fn list<I: IntoIterator>(
        &self,
        items: I,
        [open, close]: [char; 2],
        depth: usize,
        write: impl Fn(I::Item, &mut String),
        to: &mut String,
    ) {
        to.push(open);
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                to.push(',');
            }
            match self {
                Layout::Line if at > 0 => to.push(' '),
                Layout::Line => {}
                Layout::Lines { .. } => self.new_line(depth + 1, to),
            }
            write(item, to);
        }
        self.new_line(depth, to);
        to.push(close);
    }

    fn new_line(&self, depth: usize, to: &mut String) {
        if let Layout::Lines {
            base,
            unit,
            newline,
        } = self
        {
            to.push_str(newline);
            to.push_str(base);
            to.push_str(&unit.repeat(depth));
        }
    }
}

fn string(text: &str) -> String {
    Value::from(text).to_string()
}
