//! Reads the keys and values of a front matter from its YAML.

use std::{borrow::Cow, collections::HashSet};

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};

use crate::{Entry, Fault, MAX_KEYS, ScalarText, Value};

/// Reads the lines between the two `---`. They begin at the second line of the file. With `maps`, a value can be a map
/// of single values.
pub(crate) fn entries(yaml: &str, maps: bool) -> Result<Vec<Entry>, Fault> {
    Reader {
        parser: Parser::new_from_str(yaml),
        commented: commented(yaml),
        maps,
    }
    .entries()
}

struct Reader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    /// The places that a comment follows in the same line: the line and the column, in characters.
    commented: HashSet<(usize, usize)>,
    maps: bool,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<(Event<'t>, usize), Fault> {
        match self.parser.next_event() {
            None => Ok((Event::StreamEnd, 1)),
            Some(Ok((event, span))) => self.whole(&event, span).map(|()| (event, line(span))),
            Some(Err(problem)) => Err(malformed(&problem)),
        }
    }

    /// Refuses a value that a comment may have cut. A comment after a quoted value or a list is clear.
    fn whole(&self, event: &Event<'_>, span: Span) -> Result<(), Fault> {
        let Event::Scalar(text, ScalarStyle::Plain, ..) = event else {
            return Ok(());
        };
        let (at, column) = (span.end.line(), span.end.col());
        // A missing value ends before the `:` of its key.
        let is_cut = self.commented.contains(&(at, column))
            || text.is_empty() && self.commented.contains(&(at, column + 1));
        match is_cut {
            true => Err(Fault::new(
                at + 1,
                "the value ends before ` #`, which begins a comment",
                "quote the value, or give the comment a line of its own",
            )),
            false => Ok(()),
        }
    }

    fn entries(mut self) -> Result<Vec<Entry>, Fault> {
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            match self.next()? {
                (Event::StreamStart | Event::DocumentStart(_) | Event::Nothing, _) => {}
                (Event::StreamEnd | Event::DocumentEnd, _) => return Ok(entries),
                (Event::MappingStart(anchor, tag), line) => {
                    plain(anchor, tag, line)?;
                    break;
                }
                // The front matter has only comments, or nothing.
                (Event::Scalar(text, ScalarStyle::Plain, 0, None), _) if text == "~" => {}
                (_, line) => {
                    return Err(Fault::new(
                        line,
                        "this is no `key: value`",
                        "write one key on each line",
                    ));
                }
            }
        }
        loop {
            let (key, line) = match self.next()? {
                (Event::MappingEnd, _) => return self.end().map(|()| entries),
                (Event::Scalar(key, _, anchor, tag), line) => {
                    plain(anchor, tag, line)?;
                    (key.into_owned(), line)
                }
                (_, line) => {
                    return Err(Fault::new(
                        line,
                        "a key is a single word",
                        "write `key: value`",
                    ));
                }
            };
            if let Some(first) = entries.iter().find(|entry| entry.key == key) {
                let message = format!("`{key}` is given twice; first in line {}", first.line);
                return Err(Fault::new(line, message, "remove one of them"));
            }
            if entries.len() == MAX_KEYS {
                let message = format!("more than {MAX_KEYS} keys");
                return Err(Fault::new(
                    line,
                    message,
                    "keep to the keys that hooks know",
                ));
            }
            let value = self.value(&key)?;
            entries.push(Entry { key, value, line });
        }
    }

    fn end(&mut self) -> Result<(), Fault> {
        loop {
            match self.next()? {
                (Event::DocumentEnd | Event::Nothing, _) => {}
                (Event::StreamEnd, _) => return Ok(()),
                (_, line) => {
                    let help = "remove the line `...`";
                    return Err(Fault::new(line, "a second document begins", help));
                }
            }
        }
    }

    fn value(&mut self, key: &str) -> Result<Value, Fault> {
        match self.next()? {
            (Event::Scalar(text, style, anchor, tag), line) => {
                plain(anchor, tag, line)?;
                Ok(Value::Scalar(scalar(&text, style, line)))
            }
            (Event::SequenceStart(anchor, tag), line) => {
                plain(anchor, tag, line)?;
                self.list(key).map(Value::List)
            }
            (Event::MappingStart(anchor, tag), line) if self.maps => {
                plain(anchor, tag, line)?;
                self.map(key).map(Value::Map)
            }
            (_, line) => Err(nested(key, line)),
        }
    }

    fn map(&mut self, key: &str) -> Result<Vec<(String, ScalarText)>, Fault> {
        let mut members: Vec<(String, ScalarText)> = Vec::new();
        loop {
            let name = match self.next()? {
                (Event::MappingEnd, _) => return Ok(members),
                (Event::Scalar(name, _, anchor, tag), line) => {
                    plain(anchor, tag, line)?;
                    if members.iter().any(|(known, _)| *known == name) {
                        let message = format!("`{name}` is given twice in `{key}`");
                        return Err(Fault::new(line, message, "remove one of them"));
                    }
                    name.into_owned()
                }
                (_, line) => return Err(nested(key, line)),
            };
            match self.next()? {
                (Event::Scalar(text, style, anchor, tag), line) => {
                    plain(anchor, tag, line)?;
                    members.push((name, scalar(&text, style, line)));
                }
                (_, line) => return Err(nested(key, line)),
            }
        }
    }

    fn list(&mut self, key: &str) -> Result<Vec<ScalarText>, Fault> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(items),
                (Event::Scalar(text, style, anchor, tag), line) => {
                    plain(anchor, tag, line)?;
                    items.push(scalar(&text, style, line));
                }
                (_, line) => return Err(nested(key, line)),
            }
        }
    }
}

/// Returns the line and the column at which each text before a ` #` ends.
fn commented(yaml: &str) -> HashSet<(usize, usize)> {
    let mut found = HashSet::new();
    for (at, line) in yaml.split('\n').enumerate() {
        let mut end = 0;
        for (column, letter) in line.chars().enumerate() {
            if letter == '#' && column > end && end > 0 {
                found.insert((at + 1, end));
            }
            if !letter.is_whitespace() {
                end = column + 1;
            }
        }
    }
    found
}

fn scalar(text: &str, style: ScalarStyle, line: usize) -> ScalarText {
    let quoted = style != ScalarStyle::Plain;
    // The YAML reader returns this for a missing value.
    let text = if !quoted && text == "~" { "" } else { text };
    ScalarText {
        text: text.to_owned(),
        quoted,
        line,
    }
}

/// Converts a line of the YAML to a line of the file, which has one line more before it.
fn line(span: Span) -> usize {
    span.start.line() + 1
}

fn plain(anchor: usize, tag: Option<Cow<'_, Tag>>, line: usize) -> Result<(), Fault> {
    if anchor != 0 {
        return Err(Fault::new(
            line,
            "anchors are not allowed",
            "remove the `&name`, or quote the value",
        ));
    }
    if tag.is_some() {
        return Err(Fault::new(
            line,
            "tags are not allowed",
            "remove the `!name`, or quote the value",
        ));
    }
    Ok(())
}

fn nested(key: &str, line: usize) -> Fault {
    let message = format!("`{key}` has a value inside a value");
    Fault::new(
        line,
        message,
        "use a single value, or a list of single values; quote what is text",
    )
}

fn malformed(problem: &ScanError) -> Fault {
    let line = problem.marker().line() + 1;
    // Anchors are refused, so that every alias is unknown.
    if problem.info().contains("unknown anchor") {
        return Fault::new(
            line,
            "aliases are not allowed",
            "write the value out, or quote it",
        );
    }
    Fault::new(
        line,
        format!("this is not YAML: {}", problem.info()),
        "write `key: value`, and quote what is text",
    )
}
