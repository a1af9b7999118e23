//! A configuration file as a document: an edit of it changes only what the edit is about.

use std::path::Path;

use serde_json::Value;

use super::{error::ConfigError, file, json::Json, text::Text, toml::Toml};

/// The format of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// JSON, with comments and trailing commas if the client reads them.
    Json,
    /// TOML.
    Toml,
}

impl Format {
    /// Returns the format of a file: TOML if its name ends in `.toml`, otherwise JSON.
    pub fn of(file: &Path) -> Format {
        match file.extension().is_some_and(|ending| ending == "toml") {
            true => Format::Toml,
            false => Format::Json,
        }
    }
}

/// Separates a member's name from its number, where an object has several members of one name.
pub(super) const AGAIN: char = '\0';

/// A text in JSON or TOML that can be parsed. A path has the names of members and the numbers of elements.
pub(super) trait Document {
    /// Returns the whole value; null if there is none.
    fn value(&self) -> Value;

    /// Returns the whole value. Where an object has several members of one name, each name has [`AGAIN`] and its number.
    fn every(&self) -> Value {
        self.value()
    }

    /// Returns the value at a path. What is on the path is an object, and each member is there once.
    fn get(&self, path: &[String]) -> Result<Option<Value>, ConfigError>;

    /// Returns the elements of the list at a path.
    fn list(&self, path: &[String]) -> Result<Vec<Value>, ConfigError>;

    /// Returns the path of the list with the hooks of an event.
    fn hooks(&self, event: &str) -> Vec<String>;

    /// Sets members of the object at a path, which is made if it is not there. A null removes one. Other members stay, and
    /// those that have their value already stay as they are written.
    fn merge(&mut self, path: &[String], members: &Value) -> Result<(), ConfigError>;

    /// Adds an element to the list at a path, which is made if it is not there.
    fn append(&mut self, path: &[String], value: &Value) -> Result<(), ConfigError>;

    /// Removes the member or the element at the end of a path. Comments of the user stay.
    fn remove(&mut self, path: &[String]) -> Result<(), ConfigError>;

    /// Removes the objects and lists on a path that have nothing left and that the value before had not, the innermost
    /// first. TOML keeps them.
    fn remove_bare(&mut self, _: &[String], _: Option<&Value>) -> Result<(), ConfigError> {
        Ok(())
    }

    /// Returns whether there are no other members than these, and no comment.
    fn has_only(&self, members: &[String]) -> bool;

    /// Returns where a value begins or, if so wanted and always in TOML, where its name does.
    fn position(&self, path: &[String], of_name: bool) -> Option<usize>;

    /// Returns the text with the edits.
    fn edited(&self) -> Result<String, ConfigError>;
}

/// Parses a text in the format of its file.
pub(super) fn parsed<'t>(
    file: &'t Path,
    text: &'t str,
) -> Result<Box<dyn Document + 't>, ConfigError> {
    Ok(match Format::of(file) {
        Format::Json => Box::new(Json::parse(file, text)?),
        Format::Toml => Box::new(Toml::parse(file, text)?),
    })
}

/// Returns the settings in a file of JSON, with comments or without, or of TOML. `None` if there are none, or if they do not
/// parse: then the client does not read them either.
pub(crate) fn settings(file: &Path) -> Option<Value> {
    let content = file::read(file, file).ok()??;
    let text = Text::read(file, &content.bytes).ok()?;
    Some(parsed(file, text.body).ok()?.value())
}

/// Returns the members of this name, of which [`every`](Document::every) can have several.
pub(super) fn named<'v>(
    object: &'v Value,
    name: &str,
) -> impl DoubleEndedIterator<Item = (&'v String, &'v Value)> {
    let members = object.as_object().into_iter().flatten();
    members.filter(move |(it, _)| it.split(AGAIN).next() == Some(name))
}

/// Returns the members of an object or the elements of a list, each with its step in a path.
pub(super) fn children(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Object(members) => {
            let members = members.iter();
            members.map(|(name, it)| (name.clone(), it)).collect()
        }
        Value::Array(elements) => {
            let elements = elements.iter().enumerate();
            elements.map(|(at, it)| (at.to_string(), it)).collect()
        }
        _ => Vec::new(),
    }
}
