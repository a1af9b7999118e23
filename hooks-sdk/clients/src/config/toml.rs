//! Servers and hook entries in a client's TOML file, which `toml_edit` changes without losing comments.

use std::path::Path;

use serde_json::{Map, Value};
use toml_edit::{ArrayOfTables, Document, DocumentMut, InlineTable, Item, Table, TableLike};

use super::error::{ConfigError, Obstacle};

/// A text that can be parsed.
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

    /// Returns the table at a path; `None` if it is not there.
    fn table(&self, path: &[String]) -> Result<Option<&Item>, ConfigError> {
        let mut item = self.document.as_item();
        for name in path {
            let Some(next) = item.get(name) else {
                return Ok(None);
            };
            if !next.is_table_like() {
                let at = next.span().map_or(0, |span| span.start);
                let wrong = format!("`{name}` is {}, not a table", next.type_name());
                let mend = "make it a table, or remove it";
                let error = ConfigError::new(Obstacle::Shape, self.file, wrong, mend);
                return Err(error.at(self.text, at));
            }
            item = next;
        }
        Ok(Some(item))
    }

    /// Returns the whole value.
    pub(super) fn value(&self) -> Value {
        json(self.document.as_item())
    }

    /// Returns the elements of a list of the file.
    pub(super) fn list(&self, name: &str) -> Result<Vec<Value>, ConfigError> {
        match self.document.get(name) {
            None => Ok(Vec::new()),
            Some(item) if item.is_array() || item.is_array_of_tables() => match json(item) {
                Value::Array(list) => Ok(list),
                _ => Ok(Vec::new()),
            },
            Some(item) => {
                let at = item.span().map_or(0, |span| span.start);
                let wrong = format!("`{name}` is {}, not a list", item.type_name());
                let mend = "make it a list of tables, or remove it";
                let error = ConfigError::new(Obstacle::Shape, self.file, wrong, mend);
                Err(error.at(self.text, at))
            }
        }
    }

    /// Returns the text with changed elements of a list, and with new ones at the end of the file. A change has the place of
    /// its element, and the members that the element gets, or nothing if the element is removed. A null removes a member.
    pub(super) fn with_list(
        &self,
        name: &str,
        changes: &[(usize, Option<Value>)],
        new: &[Value],
    ) -> Result<String, ConfigError> {
        let before = self.list(name)?;
        let is_done = |(at, to): &(usize, Option<Value>)| {
            let mut members = to.as_ref().and_then(Value::as_object).into_iter().flatten();
            to.is_some() && members.all(|(name, value)| before[*at][name] == *value)
        };
        if new.is_empty() && changes.iter().all(is_done) {
            return Ok(self.text.to_owned());
        }
        self.edited(|document| {
            let end = end_of(self.text, document);
            let list = document.entry(name);
            let mut removed = Vec::new();
            match list.or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new())) {
                Item::ArrayOfTables(list) => {
                    for (at, to) in changes.iter().rev() {
                        match to {
                            Some(to) => set_members(list.get_mut(*at)?, to),
                            None => removed.push(Item::Table(list.remove(*at))),
                        }
                    }
                    for (number, value) in new.iter().enumerate() {
                        let mut table = Table::new();
                        set_members(&mut table, value);
                        let above = if number == 0 { &*end } else { "\n" };
                        table.decor_mut().set_prefix(above);
                        table.set_position(Some(isize::MAX));
                        list.push(table);
                    }
                    if !new.is_empty() {
                        document.set_trailing("");
                    }
                }
                Item::Value(toml_edit::Value::Array(list)) => {
                    for (at, to) in changes.iter().rev() {
                        match to {
                            Some(to) => set_members(list.get_mut(*at)?.as_inline_table_mut()?, to),
                            None => _ = list.remove(*at),
                        }
                    }
                    list.extend(new.iter().map(inline));
                }
                _ => return None,
            }
            removed
                .iter()
                .for_each(|element| keep_comments(document, element));
            Some(())
        })
    }

    /// Returns the members of the table at a path.
    pub(super) fn entries(&self, path: &[String]) -> Result<Vec<(String, Value)>, ConfigError> {
        let table = self.table(path)?.and_then(Item::as_table_like);
        let members = table.into_iter().flat_map(TableLike::iter);
        Ok(members
            .map(|(name, item)| (name.to_owned(), json(item)))
            .collect())
    }

    /// Returns where the key of a table begins.
    pub(super) fn position(&self, path: &[String], name: &str) -> Option<usize> {
        let table = self.table(path).ok()??.as_table_like()?;
        Some(table.key(name)?.span()?.start)
    }

    /// Returns the text with a table of this name: in the place of the earlier one, else as the last one of the file.
    pub(super) fn set(
        &self,
        path: &[String],
        name: &str,
        value: &Value,
    ) -> Result<String, ConfigError> {
        self.table(path)?;
        self.edited(|document| {
            let end = end_of(self.text, document);
            let mut item = document.as_item_mut();
            for name in path {
                let is_inline = item.is_inline_table();
                let table = item.as_table_like_mut()?;
                item = table.entry(name).or_insert_with(|| match is_inline {
                    true => Item::Value(InlineTable::new().into()),
                    false => {
                        let mut table = Table::new();
                        table.set_implicit(true);
                        Item::Table(table)
                    }
                });
            }
            let is_inline = item.is_inline_table();
            let parent = item.as_table_like_mut()?;
            let before = parent.get(name);
            let place = before.and_then(Item::as_table);
            let place = place.filter(|it| !it.is_implicit() && !it.is_dotted());
            let is_value = is_inline || before.is_some_and(Item::is_value);
            if is_value {
                let new = inline(value);
                match parent.get_mut(name) {
                    Some(before) => *before = Item::Value(new),
                    None => _ = parent.insert(name, Item::Value(new)),
                }
                return Some(());
            }
            let mut table: Table = members(value)
                .map(|(name, it)| (name, Item::Value(it)))
                .collect();
            let is_new = place.is_none();
            match place {
                Some(place) => {
                    *table.decor_mut() = place.decor().clone();
                    table.set_position(place.position());
                }
                None => {
                    table.decor_mut().set_prefix(end);
                    table.set_position(Some(isize::MAX));
                }
            }
            parent.insert(name, Item::Table(table));
            if is_new {
                document.set_trailing("");
            }
            Some(())
        })
    }

    /// Returns the text without the table of this name. Comments above it stay; those in it go with it.
    pub(super) fn remove(&self, path: &[String], name: &str) -> Result<String, ConfigError> {
        let found = self.table(path)?.and_then(|table| table.get(name));
        if found.is_none() {
            return Ok(self.text.to_owned());
        }
        self.edited(|document| {
            let mut item = document.as_item_mut();
            for name in path {
                item = item.as_table_like_mut()?.get_mut(name)?;
            }
            let removed = item.as_table_like_mut()?.remove(name)?;
            keep_comments(document, &removed);
            Some(())
        })
    }

    /// Returns the text after an edit. `toml_edit` writes plain line ends, and one after the last line.
    fn edited(
        &self,
        edit: impl FnOnce(&mut DocumentMut) -> Option<()>,
    ) -> Result<String, ConfigError> {
        let has_returns = self.text.contains("\r\n");
        let written = |document: &DocumentMut| {
            let mut text = document.to_string();
            if has_returns {
                text = text.replace("\r\n", "\n").replace('\n', "\r\n");
            }
            if !self.text.is_empty() && !self.text.ends_with('\n') {
                text.truncate(text.trim_end_matches(['\r', '\n']).len());
            }
            text
        };
        let mut document = self.document.clone().into_mut();
        // The blanks in a header may change.
        let letters = |text: &str| text.replace([' ', '\t'], "");
        let is_kept = letters(&written(&document)) == letters(self.text);
        let edited = edit(&mut document).filter(|()| is_kept);
        let text = edited.map(|()| written(&document));
        text.filter(|text| Document::parse(text.as_str()).is_ok())
            .ok_or_else(|| {
                let wrong = "the file is written in a way that cannot be edited safely";
                let mend = "give each server and each hook a table of its own, then run this again";
                ConfigError::new(Obstacle::Shape, self.file, wrong, mend)
            })
    }
}

/// Returns what is before a table at the end: the comments there, and a blank line.
fn end_of(text: &str, document: &DocumentMut) -> String {
    let mut end = document.trailing().as_str().unwrap_or_default().to_owned();
    if !end.is_empty() && !end.ends_with('\n') {
        end.push('\n');
    }
    let last = text.lines().next_back();
    if last.is_some_and(|line| !line.trim().is_empty()) {
        end.push('\n');
    }
    end
}

/// Puts the comments above an item that was removed above the next header, or at the end.
fn keep_comments(document: &mut DocumentMut, removed: &Item) {
    let (mut headers, mut left) = (Vec::new(), Vec::new());
    headers_of(removed, &mut headers);
    let Some((at, above)) = headers.into_iter().min() else {
        return;
    };
    if !above.contains('#') {
        return;
    }
    headers_of(document.as_item(), &mut left);
    let next = left.into_iter().map(|(place, _)| place);
    match next.filter(|place| *place > at).min() {
        Some(next) => put_above(document.as_item_mut(), next, &above),
        None => {
            let trailing = document.trailing().as_str().unwrap_or_default();
            let trailing = above + trailing;
            document.set_trailing(trailing);
        }
    }
}

/// Sets members of a table, which stay as they are written if they have their values already. A null removes one.
fn set_members(table: &mut dyn TableLike, to: &Value) {
    for (name, value) in to.as_object().into_iter().flatten() {
        match table.get(name) {
            _ if value.is_null() => _ = table.remove(name),
            Some(before) if json(before) == *value => {}
            _ => _ = table.insert(name, Item::Value(inline(value))),
        }
    }
}

/// Adds the place and the text above of each header in an item.
fn headers_of(item: &Item, to: &mut Vec<(isize, String)>) {
    let mut header = |table: &Table| {
        let above = table.decor().prefix().and_then(|it| it.as_str());
        let place = table.position().filter(|_| !table.is_implicit());
        to.extend(place.map(|place| (place, above.unwrap_or_default().to_owned())));
        table.iter().for_each(|(_, item)| headers_of(item, to));
    };
    match item {
        Item::Table(table) => header(table),
        Item::ArrayOfTables(tables) => tables.iter().for_each(header),
        Item::None | Item::Value(_) => {}
    }
}

/// Puts a text above the header at this place.
fn put_above(item: &mut Item, place: isize, text: &str) {
    let put = |table: &mut Table| {
        if table.position() == Some(place) && !table.is_implicit() {
            let above = table.decor().prefix().and_then(|it| it.as_str());
            let above = text.to_owned() + above.unwrap_or_default();
            table.decor_mut().set_prefix(above);
        }
        let items = table.iter_mut();
        items.for_each(|(_, item)| put_above(item, place, text));
    };
    match item {
        Item::Table(table) => put(table),
        Item::ArrayOfTables(tables) => tables.iter_mut().for_each(put),
        Item::None | Item::Value(_) => {}
    }
}

/// Returns the members of an object. TOML has no null.
fn members(value: &Value) -> impl Iterator<Item = (&String, toml_edit::Value)> {
    let members = value.as_object().into_iter().flatten();
    members
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name, inline(value)))
}

fn inline(value: &Value) -> toml_edit::Value {
    match value {
        Value::Array(elements) => elements.iter().map(inline).collect(),
        Value::Object(_) => members(value).collect::<InlineTable>().into(),
        Value::String(text) => text.into(),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => number.as_f64().unwrap_or(f64::NAN).into(),
        },
        Value::Bool(truth) => (*truth).into(),
        // A list keeps its length.
        Value::Null => "".into(),
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
#[path = "toml_tests.rs"]
mod tests;
