//! Server entries in a client's TOML file: `toml_edit` says what stands where, and ranges are put in or taken
//! out, since it writes a whole document with plain line ends.

mod render;

use std::{ops::Range, path::Path};

use serde_json::{Map, Value};
use toml_edit::{Document, Item, TableLike};

use render::{block, inline, key};

use super::{
    error::{ConfigError, Obstacle},
    text::{line_start, newline, next_line, splice},
};

/// A text that reads well.
pub(super) struct Toml<'t> {
    file: &'t Path,
    text: &'t str,
    document: Document<&'t str>,
}

impl<'t> Toml<'t> {
    pub(super) fn parse(file: &'t Path, text: &'t str) -> Result<Toml<'t>, ConfigError> {
        let document = Document::parse(text).map_err(|error| {
            let mend = "correct the file, which is not valid TOML, then run this again";
            let wrong = error.message().trim().replace('\n', ", ");
            let at = error.span().map_or(0, |span| span.start);
            ConfigError::new(Obstacle::Syntax, file, wrong, mend).at(text, at)
        })?;
        Ok(Toml {
            file,
            text,
            document,
        })
    }

    /// Returns the table at a path, or how far the path leads.
    fn reach(&self, path: &[String]) -> Result<(Option<&Item>, usize), ConfigError> {
        let mut item = self.document.as_item();
        for (depth, name) in path.iter().enumerate() {
            let table = item.as_table_like().expect("every item before is a table");
            let Some(next) = table.get(name) else {
                return Ok((Some(item), depth));
            };
            if next.as_table_like().is_none() {
                let at = next.span().map_or(0, |span| span.start);
                let wrong = format!("`{name}` is {}, not a table", next.type_name());
                let mend = "make it a table, or remove it";
                let error = ConfigError::new(Obstacle::Shape, self.file, wrong, mend);
                return Err(error.at(self.text, at));
            }
            item = next;
        }
        Ok((Some(item), path.len()))
    }

    fn table(&self, path: &[String]) -> Result<Option<&Item>, ConfigError> {
        let (item, depth) = self.reach(path)?;
        Ok(item.filter(|_| depth == path.len()))
    }

    /// Returns the members of the table at a path.
    pub(super) fn entries(&self, path: &[String]) -> Result<Vec<(String, Value)>, ConfigError> {
        let table = self.table(path)?.and_then(Item::as_table_like);
        let members = table.into_iter().flat_map(TableLike::iter);
        Ok(members
            .map(|(name, item)| (name.to_owned(), json(item)))
            .collect())
    }

    /// Where the last key of a path stands.
    pub(super) fn place(&self, path: &[String]) -> Option<usize> {
        let (name, leading) = path.split_last()?;
        let table = self.table(leading).ok()??;
        Some(table.as_table_like()?.key(name)?.span()?.start)
    }

    /// Returns the text with a table of this name, as the last one of the file.
    pub(super) fn add(
        &self,
        path: &[String],
        name: &str,
        value: &Value,
    ) -> Result<String, ConfigError> {
        let (item, depth) = self.reach(path)?;
        let text = match item {
            Some(item) if item.is_inline_table() => {
                let names = path[depth..].iter().map(String::as_str).chain([name]);
                self.add_inline(item, names.collect(), value)
            }
            _ => {
                let mut text = self.text.to_owned();
                let newline = newline(&text);
                let ended = text.is_empty() || text.ends_with('\n');
                if !ended {
                    text.push_str(newline);
                }
                let blank = text
                    .lines()
                    .next_back()
                    .is_none_or(|line| line.trim().is_empty());
                if !blank {
                    text.push_str(newline);
                }
                text.push_str(&block(path, name, value, newline));
                if !ended {
                    text.truncate(text.trim_end().len());
                }
                text
            }
        };
        self.checked(text, path, name)
    }

    fn add_inline(&self, table: &Item, names: Vec<&str>, value: &Value) -> String {
        let span = table.span().unwrap_or_default();
        let (first, rest) = names.split_first().expect("a name");
        let nested = (rest.iter().rev()).fold(value.clone(), |value, name| {
            Value::from_iter([((*name).to_owned(), value)])
        });
        let member = format!("{} = {}", key(first), inline(&nested));
        let last = members(table).into_iter().map(|member| member.end).max();
        let (at, new) = match last {
            Some(last) => (last, format!(", {member}")),
            None => (span.start + 1, format!(" {member} ")),
        };
        splice(self.text, vec![(at..at, new)])
    }

    /// Returns the text with another value in the place of the table of this name.
    pub(super) fn replace(
        &self,
        path: &[String],
        name: &str,
        value: &Value,
    ) -> Result<String, ConfigError> {
        let found = self.table(path)?.and_then(|table| table.get(name));
        let Some(found) = found else {
            return self.add(path, name, value);
        };
        if let (Some(span), true) = (found.span(), found.is_value()) {
            return self.checked(splice(self.text, vec![(span, inline(value))]), path, name);
        }
        let mut cuts = self.lines(found);
        match cuts.first().cloned() {
            Some(first) if self.text[first.clone()].trim_start().starts_with('[') => {
                cuts.remove(0);
                let new = block(path, name, value, newline(self.text));
                let mut edits: Vec<_> = cuts.into_iter().map(|cut| (cut, String::new())).collect();
                edits.push((first, new));
                self.checked(splice(self.text, edits), path, name)
            }
            _ => {
                let removed = self.remove(path, name)?;
                Toml::parse(self.file, &removed)?.add(path, name, value)
            }
        }
    }

    /// Returns the text without the table of this name. Comments above it stay; those in it go with it.
    pub(super) fn remove(&self, path: &[String], name: &str) -> Result<String, ConfigError> {
        let Some(table) = self.table(path)? else {
            return Ok(self.text.to_owned());
        };
        let Some(found) = table.get(name) else {
            return Ok(self.text.to_owned());
        };
        if found.is_value() {
            return match self.inline_cuts(table, name) {
                Some(cuts) => self.checked(without(self.text, cuts), path, name),
                None => Err(self.by_hand(name)),
            };
        }
        let mut cuts = self.lines(found);
        // The blank line that parted the table from the one before.
        if let (Some(first), Some(end)) = (cuts.first().cloned(), cuts.last().map(|cut| cut.end)) {
            let head = &self.text[..first.start];
            let head = head.strip_suffix("\r\n").or(head.strip_suffix('\n'));
            let blank = head.map(|head| line_start(self.text, head.len())..first.start);
            let rest = &self.text[end..];
            let ended = rest.trim().is_empty() || rest.starts_with(['\n', '\r']);
            if let Some(blank) = blank.filter(|_| ended)
                && self.text[blank.clone()].trim().is_empty()
            {
                cuts[0].start = blank.start;
            }
        }
        self.checked(without(self.text, cuts), path, name)
    }

    /// Returns the lines of a table, its own and those of the tables in it.
    fn lines(&self, item: &Item) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        gather(item, &mut ranges);
        let line = |range: Range<usize>| {
            let end = self.text[range.end..].find('\n');
            line_start(self.text, range.start)
                ..end.map_or(self.text.len(), |end| range.end + end + 1)
        };
        let mut lines: Vec<Range<usize>> = ranges.into_iter().map(line).collect();
        lines.sort_by_key(|line| line.start);
        lines.dedup();
        lines
    }

    fn inline_cuts(&self, table: &Item, name: &str) -> Option<Vec<Range<usize>>> {
        let own = table.as_table_like()?.key(name)?.span()?.start;
        let mut all = members(table);
        all.sort_by_key(|member| member.start);
        let at = all.iter().position(|member| member.start == own)?;
        let item = all[at].clone();
        if !table.is_inline_table() {
            // A member written as `name = { … }` has a line of its own.
            let start = line_start(self.text, item.start);
            let end = next_line(self.text, item.end).unwrap_or_else(|| {
                let end = self.text[item.end..].find('\n');
                end.map_or(self.text.len(), |end| item.end + end + 1)
            });
            return Some(std::iter::once(start..end).collect());
        }
        let between = match (at.checked_sub(1).map(|at| &all[at]), all.get(at + 1)) {
            (_, Some(next)) => item.end..next.start,
            (Some(before), None) => before.end..item.start,
            (None, None) => item.end..table.span()?.end,
        };
        // Keys of two members can alternate.
        let gap = self.text.get(between.clone())?;
        let comma = gap.split('#').next()?.find(',');
        Some(match comma {
            Some(comma) => vec![item, between.start + comma..between.start + comma + 1],
            None if all.len() == 1 => vec![item],
            None => return None,
        })
    }

    fn by_hand(&self, name: &str) -> ConfigError {
        let wrong = format!("`{name}` is written in a way that cannot be edited safely");
        let mend = format!("remove `{name}` by hand, then run this again");
        ConfigError::new(Obstacle::Shape, self.file, wrong, mend)
    }

    /// Returns the new text if it differs in the table of this name only.
    fn checked(&self, text: String, path: &[String], name: &str) -> Result<String, ConfigError> {
        let others = |document: &Document<_>| {
            let mut others = json(document.as_item());
            forget(&mut others, path, name);
            others
        };
        match Document::parse(text.as_str()) {
            Ok(new) if others(&new) == others(&self.document) => Ok(text),
            _ => {
                let wrong = "the servers are written in a way that cannot be edited safely";
                let mend = "give each server a table of its own, then run this again";
                Err(ConfigError::new(Obstacle::Shape, self.file, wrong, mend))
            }
        }
    }
}

/// Takes a member out of the table at a path, and each table on the way that has no other.
fn forget(of: &mut Value, path: &[String], name: &str) {
    let Some(members) = of.as_object_mut() else {
        return;
    };
    let name = match path.split_first() {
        Some((first, rest)) => {
            let Some(inner) = members.get_mut(first) else {
                return;
            };
            forget(inner, rest, name);
            if inner.as_object().is_none_or(|inner| !inner.is_empty()) {
                return;
            }
            first
        }
        None => name,
    };
    members.remove(name);
}

fn without(text: &str, cuts: Vec<Range<usize>>) -> String {
    splice(
        text,
        cuts.into_iter().map(|cut| (cut, String::new())).collect(),
    )
}

/// From the key to the end of the value, for each member of a table.
fn members(table: &Item) -> Vec<Range<usize>> {
    let Some(table) = table.as_table_like() else {
        return Vec::new();
    };
    let ranges = table.iter().filter_map(|(name, item)| {
        let mut inner = Vec::new();
        gather(item, &mut inner);
        let start = table.key(name)?.span()?.start;
        let end = inner.iter().map(|range| range.end).max()?;
        Some(start..end)
    });
    ranges.collect()
}

/// The headers and the values in an item.
fn gather(item: &Item, to: &mut Vec<Range<usize>>) {
    match item {
        Item::None => {}
        Item::Value(value)
            if value
                .as_inline_table()
                .is_some_and(|table| table.is_dotted()) =>
        {
            let table = value.as_inline_table().expect("just seen");
            table
                .iter()
                .for_each(|(_, value)| gather(&Item::Value(value.clone()), to));
        }
        Item::Value(value) => to.extend(value.span()),
        Item::Table(table) => {
            if !table.is_dotted() && !table.is_implicit() {
                to.extend(table.span());
            }
            table.iter().for_each(|(_, item)| gather(item, to));
        }
        Item::ArrayOfTables(tables) => {
            for table in tables {
                to.extend(table.span());
                table.iter().for_each(|(_, item)| gather(item, to));
            }
        }
    }
}

fn json(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        let members = table
            .iter()
            .map(|(name, item)| (name.to_owned(), json(item)));
        return Value::Object(members.collect::<Map<String, Value>>());
    }
    if let Some(tables) = item.as_array_of_tables() {
        return tables
            .iter()
            .map(|table| json(&Item::Table(table.clone())))
            .collect();
    }
    match item.as_value() {
        Some(toml_edit::Value::String(text)) => Value::from(text.value().as_str()),
        Some(toml_edit::Value::Integer(integer)) => Value::from(*integer.value()),
        Some(toml_edit::Value::Float(float)) => Value::from(*float.value()),
        Some(toml_edit::Value::Boolean(boolean)) => Value::from(*boolean.value()),
        Some(toml_edit::Value::Array(array)) => array
            .iter()
            .map(|value| json(&Item::Value(value.clone())))
            .collect(),
        Some(other) => Value::from(other.to_string().trim()),
        None => Value::Null,
    }
}

#[cfg(test)]
mod tests;
