//! Reads a configuration file in YAML.
//!
//! `saphyr-parser` reports the place of every value, which the deserializers of YAML do not, and the workspace has it
//! for front matter already. The values are those of the YAML 1.2 core schema. Anchors, aliases, tags, merge keys and
//! several documents are mistakes: a policy says what it means in the place where it says it.

use std::borrow::Cow;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};
use serde_json::{Number, Value};

use super::{
    fault::{Faults, clip},
    node::{MAX_DEPTH, Member, Node, NodeValue},
};

/// Reads the file; `None` if it cannot be read to its end, which is then among the faults.
pub(super) fn read(text: &str, faults: &mut Faults) -> Option<Node> {
    Reader {
        parser: Parser::new_from_str(text),
        faults,
    }
    .document()
}

struct Reader<'t, 'f> {
    parser: Parser<'t, StrInput<'t>>,
    faults: &'f mut Faults,
}

impl<'t> Reader<'t, '_> {
    fn next(&mut self) -> Option<(Event<'t>, usize)> {
        match self.parser.next_event() {
            None => Some((Event::StreamEnd, 1)),
            Some(Ok((event, span))) => Some((event, line(span))),
            Some(Err(problem)) => {
                self.malformed(&problem);
                None
            }
        }
    }

    fn document(mut self) -> Option<Node> {
        let node = loop {
            match self.next()? {
                (Event::StreamStart | Event::DocumentStart(_) | Event::Nothing, _) => {}
                (Event::StreamEnd | Event::DocumentEnd, line) => {
                    break Node {
                        line,
                        value: NodeValue::Scalar(Value::Null),
                    };
                }
                (event, line) => break self.node(event, line, 0)?,
            }
        };
        loop {
            match self.next()? {
                (Event::DocumentEnd | Event::Nothing, _) => {}
                (Event::StreamEnd, _) => return Some(node),
                (_, line) => {
                    let help = "keep one document in a file, without a second `---`";
                    self.faults.add(line, "a second document begins", help);
                    return None;
                }
            }
        }
    }

    fn node(&mut self, event: Event<'t>, line: usize, depth: usize) -> Option<Node> {
        if depth > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} values stand in each other");
            self.faults.add(line, message, "write it flatter");
            return None;
        }
        let value = match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.plain(anchor, tag, line);
                NodeValue::Scalar(self.scalar(&text, style, line))
            }
            Event::SequenceStart(anchor, tag) => {
                self.plain(anchor, tag, line);
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break NodeValue::List(items),
                        (event, line) => items.push(self.node(event, line, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(anchor, tag) => {
                self.plain(anchor, tag, line);
                self.table(depth)?
            }
            Event::Alias(_) => {
                self.alias(line);
                NodeValue::Scalar(Value::Null)
            }
            _ => {
                self.faults
                    .add(line, "a value is missing", "write `key: value`");
                return None;
            }
        };
        Some(Node { line, value })
    }

    fn table(&mut self, depth: usize) -> Option<NodeValue> {
        let mut members: Vec<Member> = Vec::new();
        let mut known = std::collections::HashMap::new();
        loop {
            let (key, line) = match self.next()? {
                (Event::MappingEnd, _) => return Some(NodeValue::Table(members)),
                (Event::Scalar(key, _, anchor, tag), line) => {
                    self.plain(anchor, tag, line);
                    (key.into_owned(), line)
                }
                (_, line) => {
                    let help = "write `key: value`";
                    self.faults.add(line, "a key is a single word", help);
                    return None;
                }
            };
            if key == "<<" {
                let help = "write the values out where they belong";
                self.faults.add(line, "merge keys are not allowed", help);
            }
            let (event, at) = self.next()?;
            let node = self.node(event, at, depth + 1)?;
            match known.get(&key) {
                Some(first) => {
                    let message = format!("`{}` is given twice; first in line {first}", clip(&key));
                    self.faults.add(line, message, "remove one of them");
                }
                None => {
                    known.insert(key.clone(), line);
                    members.push(Member { key, line, node });
                }
            }
        }
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, line: usize) -> Value {
        if style != ScalarStyle::Plain {
            return Value::String(text.to_owned());
        }
        match text {
            // The YAML reader returns this for a missing value.
            "~" | "" | "null" | "Null" | "NULL" => Value::Null,
            "true" | "True" | "TRUE" => Value::Bool(true),
            "false" | "False" | "FALSE" => Value::Bool(false),
            text if is_number(text) => match number(text) {
                Some(number) => Value::Number(number),
                None => {
                    let message = format!("the number `{}` is too large", clip(text));
                    self.faults.add(line, message, "quote it if it is a text");
                    Value::from(0)
                }
            },
            text => Value::String(text.to_owned()),
        }
    }

    fn plain(&mut self, anchor: usize, tag: Option<Cow<'_, Tag>>, line: usize) {
        if anchor != 0 {
            let help = "remove the `&name`, or quote the value";
            self.faults.add(line, "anchors are not allowed", help);
        }
        if tag.is_some() {
            let help = "remove the `!name`, or quote the value";
            self.faults.add(line, "tags are not allowed", help);
        }
    }

    fn alias(&mut self, line: usize) {
        let help = "write the value out, or quote it";
        self.faults.add(line, "aliases are not allowed", help);
    }

    fn malformed(&mut self, problem: &ScanError) {
        let line = problem.marker().line().max(1);
        if problem.info().contains("unknown anchor") {
            return self.alias(line);
        }
        let message = format!("this is not YAML: {}", problem.info());
        let help = "write `key: value` with even indentation, and quote what is text";
        self.faults.add(line, message, help);
    }
}

fn line(span: Span) -> usize {
    span.start.line().max(1)
}

/// Returns whether a plain scalar is a number of the core schema.
fn is_number(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.map(|text| text.strip_prefix(['-', '+']).unwrap_or(text));
    !(whole.is_empty() && part.is_empty())
        && digits(whole)
        && digits(part)
        && exponent.is_none_or(|text| !text.is_empty() && digits(text))
}

fn number(text: &str) -> Option<Number> {
    if let Ok(number) = text.parse::<u64>() {
        return Some(number.into());
    }
    if let Ok(number) = text.parse::<i64>() {
        return Some(number.into());
    }
    let is_whole = !text.contains(['.', 'e', 'E']);
    // Read as a fraction, a whole number of this size would become another one.
    if is_whole {
        return None;
    }
    text.parse().ok().and_then(Number::from_f64)
}
