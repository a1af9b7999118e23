//! TOML, which `toml_edit` changes without losing comments.

use std::path::Path;

use serde_json::Value;
use toml_edit::{ArrayOfTables, Decor, Document as Spans, DocumentMut, InlineTable, Item, Table};

use super::{
    document::Document,
    error::{ConfigError, Obstacle},
    hooks::HOOKS,
    toml_items::{inline, json, push, put_last, raw, set, table, take},
};

/// A text that can be parsed.
pub(super) struct Toml<'t> {
    file: &'t Path,
    text: &'t str,
    /// The document without edits, which knows where its items are.
    before: Spans<&'t str>,
    document: DocumentMut,
    is_edited: bool,
    /// Whether each edit could be made.
    is_safe: bool,
}

impl<'t> Toml<'t> {
    pub(super) fn parse(file: &'t Path, text: &'t str) -> Result<Toml<'t>, ConfigError> {
        let before = Spans::parse(text).map_err(|error| {
            let mend = "correct the file, which is not valid TOML, then run this again";
            let wrong = error.message().trim().replace('\n', ", ");
            let at = error.span().map_or(0, |span| span.start);
            ConfigError::new(Obstacle::Syntax, file, wrong, mend).at(text, at)
        })?;
        Ok(Toml {
            file,
            text,
            document: before.clone().into_mut(),
            before,
            is_edited: false,
            is_safe: true,
        })
    }

    fn misshapen(&self, item: &Item, name: &str, wanted: &str, mend: &str) -> ConfigError {
        let at = item.span().map_or(0, |span| span.start);
        let wrong = format!("`{name}` is {}, not a {wanted}", item.type_name());
        ConfigError::new(Obstacle::Shape, self.file, wrong, mend).at(self.text, at)
    }

    /// Returns the item at a path, with the edits.
    fn item(&self, path: &[String]) -> Option<&Item> {
        path.iter().try_fold(self.document.as_item(), element)
    }

    /// Edits the document. An edit that cannot be made is an error of the text with the edits.
    fn edit(&mut self, edit: impl FnOnce(&mut DocumentMut) -> Option<()>) {
        self.is_edited = true;
        self.is_safe &= edit(&mut self.document).is_some();
    }
}

impl Document for Toml<'_> {
    fn value(&self) -> Value {
        json(self.document.as_item())
    }

    fn get(&self, path: &[String]) -> Result<Option<Value>, ConfigError> {
        let mut item = self.before.as_item();
        let above = path.split_last().map_or(path, |(_, above)| above);
        for name in above {
            let Some(next) = item.get(name) else {
                break;
            };
            if !next.is_table_like() {
                return Err(self.misshapen(next, name, "table", "make it a table, or remove it"));
            }
            item = next;
        }
        Ok(self.item(path).map(json))
    }

    fn list(&self, path: &[String]) -> Result<Vec<Value>, ConfigError> {
        let before = path.iter().try_fold(self.before.as_item(), element);
        match (path.last(), before) {
            (Some(name), Some(item)) if !is_list(item) => {
                let mend = "make it a list of tables, or remove it";
                Err(self.misshapen(item, name, "list", mend))
            }
            _ => match self.item(path).map(json) {
                Some(Value::Array(list)) => Ok(list),
                _ => Ok(Vec::new()),
            },
        }
    }

    fn hooks(&self, _event: &str) -> Vec<String> {
        vec![HOOKS.to_owned()]
    }

    /// Keeps the comments and blanks around a member. Puts a new table at the end of the file.
    fn merge(&mut self, path: &[String], members: &Value) -> Result<(), ConfigError> {
        let before = self.item(path).map(json).unwrap_or_default();
        let mut all = members.as_object().into_iter().flatten();
        if all.all(|(name, value)| before[name] == *value) {
            return Ok(());
        }
        self.edit(|document| {
            let end = end_of(document);
            let mut item = document.as_item_mut();
            for name in path {
                if is_list(item) {
                    item = element_mut(item, name)?;
                    continue;
                }
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
            if set(item, members.as_object()?, &end)? {
                document.set_trailing("");
            }
            Some(())
        });
        Ok(())
    }

    /// A new table is the last one of the file, and a new value the last one of its list.
    fn append(&mut self, path: &[String], value: &Value) -> Result<(), ConfigError> {
        self.list(path)?;
        self.edit(|document| {
            let end = end_of(document);
            let list = document.entry(path.last()?);
            match list.or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new())) {
                Item::ArrayOfTables(list) => {
                    let mut table = table(value);
                    put_last(&mut table, &end);
                    list.push(table);
                    document.set_trailing("");
                }
                list => push(list.as_array_mut()?, inline(value)),
            }
            Some(())
        });
        Ok(())
    }

    /// Comments above a table or a value stay; those in it go with it.
    fn remove(&mut self, path: &[String]) -> Result<(), ConfigError> {
        if self.item(path).is_none() {
            return Ok(());
        }
        self.edit(|document| {
            let (name, above) = path.split_last()?;
            let root = document.as_item_mut();
            let parent = above.iter().try_fold(root, element_mut)?;
            let mut removed = match parent {
                Item::ArrayOfTables(list) => Item::Table(list.remove(name.parse().ok()?)),
                Item::Value(toml_edit::Value::Array(list)) => {
                    take(list, name.parse().ok()?);
                    return Some(());
                }
                parent => parent.as_table_like_mut()?.remove(name)?,
            };
            keep_comments(document, &mut removed);
            Some(())
        });
        Ok(())
    }

    fn has_only(&self, _members: &[String]) -> bool {
        self.document.to_string().trim().is_empty()
    }

    fn position(&self, path: &[String], _of_name: bool) -> Option<usize> {
        let (name, above) = path.split_last()?;
        let root = self.before.as_item();
        let table = above.iter().try_fold(root, element)?.as_table_like()?;
        Some(table.key(name)?.span()?.start)
    }

    /// `toml_edit` writes plain line ends, and one after the last line.
    fn edited(&self) -> Result<String, ConfigError> {
        if !self.is_edited {
            return Ok(self.text.to_owned());
        }
        let written = |document: &DocumentMut| {
            let mut text = document.to_string();
            if self.text.contains("\r\n") {
                text = text.replace("\r\n", "\n").replace('\n', "\r\n");
            }
            if !self.text.is_empty() && !self.text.ends_with('\n') {
                text.truncate(text.trim_end_matches(['\r', '\n']).len());
            }
            text
        };
        // The blanks in a header may change.
        let letters = |text: &str| text.replace([' ', '\t'], "");
        let is_kept = letters(&written(&self.before.clone().into_mut())) == letters(self.text);
        let text = written(&self.document);
        if is_kept && self.is_safe && Spans::parse(text.as_str()).is_ok() {
            return Ok(text);
        }
        let wrong = "the file is written in a way that cannot be edited safely";
        let mend = "give each server and each hook a table of its own, then run this again";
        Err(ConfigError::new(Obstacle::Shape, self.file, wrong, mend))
    }
}

/// Returns the member of a table or the element of a list.
fn element<'i>(item: &'i Item, name: &String) -> Option<&'i Item> {
    match is_list(item) {
        true => item.get(name.parse::<usize>().ok()?),
        false => item.get(name),
    }
}

fn element_mut<'i>(item: &'i mut Item, name: &String) -> Option<&'i mut Item> {
    match is_list(item) {
        true => item.get_mut(name.parse::<usize>().ok()?),
        false => item.get_mut(name),
    }
}

fn is_list(item: &Item) -> bool {
    item.is_array() || item.is_array_of_tables()
}

/// Returns what is before a table at the end: the comments there, and a blank line.
fn end_of(document: &DocumentMut) -> String {
    let mut end = document.trailing().as_str().unwrap_or_default().to_owned();
    if !end.is_empty() && !end.ends_with('\n') {
        end.push('\n');
    }
    let text = document.to_string();
    let last = text.lines().next_back();
    if last.is_some_and(|line| !line.trim().is_empty()) {
        end.push('\n');
    }
    end
}

/// Puts the comments above an item that was removed above the next header, or at the end.
fn keep_comments(document: &mut DocumentMut, removed: &mut Item) {
    let mut headers = Vec::new();
    each_header(removed, &mut |place, decor| {
        headers.push((place, raw(decor.prefix())));
    });
    let Some((at, comments)) = headers.into_iter().min().filter(|it| it.1.contains('#')) else {
        return;
    };
    let mut next = None;
    each_header(document.as_item_mut(), &mut |place, _| {
        if place > at && next.is_none_or(|next| place < next) {
            next = Some(place);
        }
    });
    match next {
        Some(next) => each_header(document.as_item_mut(), &mut |place, decor| {
            if place == next {
                decor.set_prefix(comments.clone() + &raw(decor.prefix()));
            }
        }),
        None => {
            let trailing = document.trailing().as_str().unwrap_or_default();
            let trailing = comments + trailing;
            document.set_trailing(trailing);
        }
    }
}

/// Calls `visit` for the place of each header in an item, and what is around it.
fn each_header(item: &mut Item, visit: &mut dyn FnMut(isize, &mut Decor)) {
    let mut header = |table: &mut Table| {
        let place = table.position().filter(|_| !table.is_implicit());
        if let Some(place) = place {
            visit(place, table.decor_mut());
        }
        for (_, item) in table.iter_mut() {
            each_header(item, &mut *visit);
        }
    };
    match item {
        Item::Table(table) => header(table),
        Item::ArrayOfTables(tables) => tables.iter_mut().for_each(header),
        Item::None | Item::Value(_) => {}
    }
}

#[cfg(test)]
#[path = "toml_tests.rs"]
mod tests;
