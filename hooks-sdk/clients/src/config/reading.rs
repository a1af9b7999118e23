//! How a client reads one of its files: what makes it ignore all of the file, or refuse to start.

use std::path::Path;

use jsonc_parser::{
    CollectOptions,
    ast::{Object, Value},
    common::Ranged,
    parse_to_ast,
};
use toml_edit::{Document, Item};

use super::{
    error::{ConfigError, Obstacle},
    json::PLAIN,
    servers::Format,
    text::Text,
};

/// How a client reads a file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Reading {
    /// The file's name; empty for every other file of the client.
    pub file: &'static str,
    /// What the client does with a file that it cannot read, such as `ignores the whole file`.
    pub then: &'static str,
    /// Whether comments are read.
    pub comments: bool,
    /// Whether a comma after the last member or element is read.
    pub trailing_commas: bool,
    /// Whether a byte order mark is read.
    pub byte_order_mark: bool,
    /// Whether a member can be there twice.
    pub duplicates: bool,
    /// The members of the file; empty if any are read.
    pub only: &'static [&'static str],
    /// The members whose type the client checks: paths with points, in which `*` is each member or element, with spaces
    /// between them.
    pub checked: &'static [(MemberType, &'static str)],
}

/// What a member must be.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum MemberType {
    /// A text.
    Text,
    /// `true` or `false`.
    Truth,
    /// A number.
    Number,
    /// A list.
    List,
    /// A list of texts.
    Texts,
    /// An object, or a table of TOML.
    Object,
    /// One of these texts.
    OneOf(&'static [&'static str]),
}

impl Reading {
    /// Makes strict JSON: no comments, no trailing commas; a byte order mark is read.
    pub const fn strict(file: &'static str, then: &'static str) -> Reading {
        Reading {
            file,
            then,
            comments: false,
            trailing_commas: false,
            byte_order_mark: true,
            duplicates: true,
            only: &[],
            checked: &[],
        }
    }

    /// Makes JSON with comments, trailing commas and a byte order mark.
    pub const fn lenient(file: &'static str, then: &'static str) -> Reading {
        Reading {
            comments: true,
            trailing_commas: true,
            ..Reading::strict(file, then)
        }
    }

    /// Checks that the client, which has this title, reads the file.
    pub(super) fn check(
        &self,
        title: &str,
        file: &Path,
        text: &Text<'_>,
    ) -> Result<(), ConfigError> {
        let refused = |wrong: &str, mend: &str, at: usize| {
            let wrong = format!("{title} {}: {wrong}", self.then);
            Err(ConfigError::new(Obstacle::Unread, file, wrong, mend).at(text.body, at))
        };
        if text.has_mark() && !self.byte_order_mark {
            let mend = "save it as UTF-8 without a byte order mark, then run this again";
            return refused("the file begins with a byte order mark", mend, 0);
        }
        let mut faults = Vec::new();
        if Format::of(file) == Format::Toml {
            self.check_table(text.body, &mut faults);
        } else {
            let mut options = PLAIN;
            options.allow_comments = self.comments;
            options.allow_trailing_commas = self.trailing_commas;
            let parsed = match parse_to_ast(text.body, &CollectOptions::default(), &options) {
                Ok(parsed) => parsed.value,
                Err(error) => {
                    let mut wrong = error.kind().to_string();
                    wrong[..1].make_ascii_lowercase();
                    let mend = "correct that, then run this again";
                    return refused(&wrong, mend, error.range().start);
                }
            };
            if let Some(root) = &parsed {
                self.check_value(root, &mut faults);
            }
        }
        match faults.into_iter().next() {
            Some((wrong, mend, at)) => refused(&wrong, &mend, at),
            None => Ok(()),
        }
    }

    fn check_value(&self, root: &Value<'_>, faults: &mut Vec<Fault>) {
        if !self.duplicates {
            twice(root, faults);
        }
        let object = root.as_object();
        let members = object.map_or(&[][..], |object| &object.properties);
        for member in members {
            let name = member.name.as_str();
            if !self.only.is_empty() && !self.only.contains(&name) {
                let wrong = format!("it does not know the member `{name}`");
                faults.push((wrong, "remove the member".to_owned(), member.range.start));
            }
        }
        for (kind, paths) in self.checked {
            for path in paths.split(' ') {
                each(root, path, &mut |value| {
                    if !kind.is_met(value) {
                        faults.push(kind.fault(path, value.start()));
                    }
                });
            }
        }
    }

    /// Checks the members of a TOML file. A file that does not parse has an error of its own.
    fn check_table(&self, text: &str, faults: &mut Vec<Fault>) {
        let Ok(document) = Document::parse(text) else {
            return;
        };
        for (kind, paths) in self.checked {
            for path in paths.split(' ') {
                let Some((key, item)) = document.get_key_value(path) else {
                    continue;
                };
                let is_met = match kind {
                    MemberType::Text => item.is_str(),
                    MemberType::Truth => item.is_bool(),
                    MemberType::Number => item.is_integer() || item.is_float(),
                    MemberType::List | MemberType::Texts => {
                        item.is_array() || item.is_array_of_tables()
                    }
                    MemberType::Object => item.is_table_like(),
                    MemberType::OneOf(words) => {
                        item.as_str().is_some_and(|word| words.contains(&word))
                    }
                };
                if !is_met && !matches!(item, Item::None) {
                    faults.push(kind.fault(path, key.span().map_or(0, |span| span.start)));
                }
            }
        }
    }
}

/// A fault: its message, the edit that mends it, and its position.
type Fault = (String, String, usize);

impl MemberType {
    fn is_met(self, value: &Value<'_>) -> bool {
        match (self, value) {
            (MemberType::Text, Value::StringLit(_))
            | (MemberType::Truth, Value::BooleanLit(_))
            | (MemberType::Number, Value::NumberLit(_))
            | (MemberType::List, Value::Array(_))
            | (MemberType::Object, Value::Object(_)) => true,
            (MemberType::Texts, Value::Array(list)) => {
                let mut elements = list.elements.iter();
                elements.all(|element| matches!(element, Value::StringLit(_)))
            }
            (MemberType::OneOf(words), Value::StringLit(word)) => words.contains(&&*word.value),
            _ => false,
        }
    }

    fn fault(self, path: &str, at: usize) -> Fault {
        let wanted = match self {
            MemberType::Text => "a text".to_owned(),
            MemberType::Truth => "`true` or `false`".to_owned(),
            MemberType::Number => "a number".to_owned(),
            MemberType::List => "a list".to_owned(),
            MemberType::Texts => "a list of texts".to_owned(),
            MemberType::Object => "an object".to_owned(),
            MemberType::OneOf(words) => format!("one of `{}`", words.join("`, `")),
        };
        let wrong = format!("`{path}` is not {wanted}");
        let mend = format!("write {wanted}, or remove it, then run this again");
        (wrong, mend, at)
    }
}

/// Calls `found` for each value at a path.
fn each<'v, 't>(value: &'v Value<'t>, path: &str, found: &mut impl FnMut(&'v Value<'t>)) {
    let (name, rest) = match path.split_once('.') {
        Some((name, rest)) => (name, Some(rest)),
        None => (path, None),
    };
    let inner: Vec<&Value<'t>> = match value {
        Value::Object(object) => {
            let members = object.properties.iter();
            let is_meant = |member: &&_| name == "*" || name_of(member) == name;
            members
                .filter(is_meant)
                .map(|member| &member.value)
                .collect()
        }
        Value::Array(list) if name == "*" => list.elements.iter().collect(),
        _ => Vec::new(),
    };
    for value in inner {
        match rest {
            Some(rest) => each(value, rest, found),
            None => found(value),
        }
    }
}

fn name_of<'v>(member: &'v jsonc_parser::ast::ObjectProp<'_>) -> &'v str {
    member.name.as_str()
}

/// Finds the members that an object has twice.
fn twice(value: &Value<'_>, faults: &mut Vec<Fault>) {
    match value {
        Value::Object(object) => {
            for (at, member) in object.properties.iter().enumerate() {
                if is_before(object, at) {
                    let name = name_of(member);
                    let wrong = format!("the member `{name}` is there twice");
                    faults.push((wrong, "remove one of them".to_owned(), member.range.start));
                }
                twice(&member.value, faults);
            }
        }
        Value::Array(list) => list
            .elements
            .iter()
            .for_each(|element| twice(element, faults)),
        _ => {}
    }
}

fn is_before(object: &Object<'_>, at: usize) -> bool {
    let name = name_of(&object.properties[at]);
    object.properties[..at]
        .iter()
        .any(|member| name_of(member) == name)
}
