//! How a client reads one of its files: what makes it ignore all of the file, or refuse to start.

use std::path::Path;

use jsonc_parser::ParseOptions;
use serde_json::Value;

use super::{
    document::{Document, Format, children},
    error::{ConfigError, Obstacle},
    json::{Json, PLAIN},
    text::Text,
    toml::Toml,
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
        match self.fault(file, text) {
            Some((wrong, mend, at)) => {
                let wrong = format!("{title} {}: {wrong}", self.then);
                Err(ConfigError::new(Obstacle::Unread, file, wrong, mend).at(text.body, at))
            }
            None => Ok(()),
        }
    }

    fn fault(&self, file: &Path, text: &Text<'_>) -> Option<Fault> {
        if text.has_mark() && !self.byte_order_mark {
            let mend = "save it as UTF-8 without a byte order mark, then run this again";
            let wrong = "the file begins with a byte order mark";
            return Some((wrong.to_owned(), mend.to_owned(), 0));
        }
        if Format::of(file) == Format::Toml {
            // A file that does not parse has an error of its own.
            return self.fault_in(&Toml::parse(file, text.body).ok()?);
        }
        let options = ParseOptions {
            allow_comments: self.comments,
            allow_trailing_commas: self.trailing_commas,
            ..PLAIN
        };
        let json = match Json::read(file, text.body, &options) {
            Ok(json) => json,
            Err((wrong, at)) => {
                let mend = "correct that, then run this again";
                return Some((wrong, mend.to_owned(), at));
            }
        };
        let twice = json.twice().filter(|_| !self.duplicates);
        let twice = twice.map(|(name, at)| {
            let wrong = format!("the member `{name}` is there twice");
            (wrong, "remove one of them".to_owned(), at)
        });
        twice.or_else(|| self.fault_in(&json))
    }

    fn fault_in(&self, document: &dyn Document) -> Option<Fault> {
        let value = document.value();
        let mut members = children(&value).into_iter().map(|(name, _)| name);
        let unknown =
            members.find(|name| !self.only.is_empty() && !self.only.contains(&name.as_str()));
        if let Some(name) = unknown {
            let wrong = format!("it does not know the member `{name}`");
            let at = document.position(&[name], true).unwrap_or_default();
            return Some((wrong, "remove the member".to_owned(), at));
        }
        let paths = |(kind, paths): &(MemberType, &'static str)| {
            let kind = *kind;
            paths.split(' ').map(move |path| (kind, path))
        };
        self.checked
            .iter()
            .flat_map(paths)
            .find_map(|(kind, path)| {
                let at = document.position(&kind.unmet(&value, Some(path))?, false);
                let wanted = kind.wanted();
                let wrong = format!("`{path}` is not {wanted}");
                let mend = format!("write {wanted}, or remove it, then run this again");
                Some((wrong, mend, at.unwrap_or_default()))
            })
    }
}

/// A fault: its message, the edit that mends it, and its position.
type Fault = (String, String, usize);

impl MemberType {
    fn is_met(self, value: &Value) -> bool {
        match self {
            MemberType::Text => value.is_string(),
            MemberType::Truth => value.is_boolean(),
            MemberType::Number => value.is_number(),
            MemberType::List => value.is_array(),
            MemberType::Texts => {
                let mut list = value.as_array().into_iter().flatten();
                value.is_array() && list.all(Value::is_string)
            }
            MemberType::Object => value.is_object(),
            MemberType::OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        }
    }

    /// Returns the path of the first value that has another type, among those at the path in which `*` is each step.
    fn unmet(self, value: &Value, path: Option<&str>) -> Option<Vec<String>> {
        let Some(path) = path else {
            return (!self.is_met(value)).then(Vec::new);
        };
        let (name, rest) = match path.split_once('.') {
            Some((name, rest)) => (name, Some(rest)),
            None => (path, None),
        };
        let mut inner = children(value).into_iter();
        inner.find_map(|(step, inner)| {
            if name != "*" && (name != step || value.is_array()) {
                return None;
            }
            let mut unmet = self.unmet(inner, rest)?;
            unmet.insert(0, step);
            Some(unmet)
        })
    }

    /// Returns the type in words.
    fn wanted(self) -> String {
        match self {
            MemberType::Text => "a text".to_owned(),
            MemberType::Truth => "`true` or `false`".to_owned(),
            MemberType::Number => "a number".to_owned(),
            MemberType::List => "a list".to_owned(),
            MemberType::Texts => "a list of texts".to_owned(),
            MemberType::Object => "an object".to_owned(),
            MemberType::OneOf(words) => format!("one of `{}`", words.join("`, `")),
        }
    }
}
