//! Reads a configuration file in TOML.
//!
//! `toml_edit` reports the place of every key and value. Twice the same key, and tables in each other without end, are
//! its own errors.

use std::ops::Range;

use serde_json::{Number, Value};
use toml_edit::{Document, Item, TableLike};

use super::{
    fault::Faults,
    node::{MAX_DEPTH, Member, Node, Shape},
};

/// Reads the file; `None` if it is not TOML, which is then among the faults.
pub(super) fn read(text: &str, faults: &mut Faults) -> Option<Node> {
    let lines = Lines::of(text);
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let line = lines.at(error.span());
            let message = format!("this is not TOML: {}", error.message().trim());
            faults.add(line, message, "correct what the message says");
            return None;
        }
    };
    Reader { lines, faults }.table(document.as_table(), 1, 0)
}

/// Where each line begins.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Lines(std::iter::once(0).chain(ends).collect())
    }

    fn at(&self, span: Option<Range<usize>>) -> usize {
        span.map_or(1, |span| {
            self.0.partition_point(|start| *start <= span.start)
        })
    }
}

struct Reader<'f> {
    lines: Lines,
    faults: &'f mut Faults,
}

impl Reader<'_> {
    fn table(&mut self, table: &dyn TableLike, line: usize, depth: usize) -> Option<Node> {
        let mut members = Vec::new();
        for (key, item) in table.iter() {
            let at = table.get_key_value(key).and_then(|(key, _)| key.span());
            let at = at.or_else(|| item.span());
            let at = at.map_or(line, |span| self.lines.at(Some(span)));
            members.push(Member {
                key: key.to_owned(),
                line: at,
                node: self.item(item, at, depth + 1)?,
            });
        }
        Some(Node {
            line,
            value: Shape::Table(members),
        })
    }

    fn item(&mut self, item: &Item, line: usize, depth: usize) -> Option<Node> {
        if depth > MAX_DEPTH {
            return self.too_deep(line);
        }
        match item {
            Item::None => Some(Node {
                line,
                value: Shape::Scalar(Value::Null),
            }),
            Item::Value(value) => self.value(value, line, depth),
            Item::Table(table) => self.table(table, line, depth),
            Item::ArrayOfTables(tables) => {
                let mut items = Vec::new();
                for table in tables {
                    let line = table.span().map_or(line, |span| self.lines.at(Some(span)));
                    items.push(self.table(table, line, depth + 1)?);
                }
                Some(Node {
                    line,
                    value: Shape::List(items),
                })
            }
        }
    }

    fn too_deep(&mut self, line: usize) -> Option<Node> {
        let message = format!("more than {MAX_DEPTH} values stand in each other");
        self.faults.add(line, message, "write it flatter");
        None
    }

    fn value(&mut self, value: &toml_edit::Value, line: usize, depth: usize) -> Option<Node> {
        let line = value.span().map_or(line, |span| self.lines.at(Some(span)));
        if depth > MAX_DEPTH {
            return self.too_deep(line);
        }
        let value = match value {
            toml_edit::Value::String(text) => Value::String(text.value().clone()),
            toml_edit::Value::Integer(number) => Value::from(*number.value()),
            toml_edit::Value::Boolean(flag) => Value::Bool(*flag.value()),
            toml_edit::Value::Float(number) => match Number::from_f64(*number.value()) {
                Some(number) => Value::Number(number),
                None => {
                    let help = "write a finite number";
                    self.faults
                        .add(line, "this is no number that a hook can read", help);
                    Value::Null
                }
            },
            toml_edit::Value::Datetime(_) => {
                self.faults.add(line, "dates are not allowed", "quote it");
                Value::Null
            }
            toml_edit::Value::Array(array) => {
                let mut items = Vec::new();
                for value in array {
                    items.push(self.value(value, line, depth + 1)?);
                }
                return Some(Node {
                    line,
                    value: Shape::List(items),
                });
            }
            toml_edit::Value::InlineTable(table) => return self.table(table, line, depth),
        };
        Some(Node {
            line,
            value: Shape::Scalar(value),
        })
    }
}
