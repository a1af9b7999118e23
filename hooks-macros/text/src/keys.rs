//! The keys of a hook file's front matter, for the macros and for the SDK.

use crate::{
    nearest::meant,
    vocabulary::{FEATURES, LIFECYCLES, TYPES},
};

/// One key, and the shape of its value.
#[derive(Debug)]
#[non_exhaustive]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// The shape of its value.
    pub shape: Shape,
    /// Whether every hook must have it.
    pub required: bool,
    /// The guidance protocol's rule about its values, if there is one.
    pub rule: Option<Rule>,
    /// The allowed words, for messages only: the protocol decides which words are valid.
    pub words: &'static [&'static str],
}

/// The shape of a key's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// A single text.
    Text,
    /// Texts; a single one needs no list.
    Texts,
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Integer,
    /// Texts of the form `key = value`, each key once.
    Settings,
}

/// A rule about a value. The guidance protocol implements it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// It is a type of hook.
    Type,
    /// It is a lifecycle.
    Lifecycle,
    /// It is a requirement level.
    Requirement,
    /// It is a feature of MCP.
    Feature,
    /// It can be a tag.
    Tag,
    /// It can be a name.
    Name,
    /// It can be an app.
    App,
    /// It is a type whose hooks are about tools.
    AboutTools,
    /// It is a well-formed glob.
    Glob,
}

/// Every key, in the order of messages.
pub const KEYS: &[Key] = &[
    Key::new("type", Shape::Text)
        .required()
        .one_of(Rule::Type, TYPES.words),
    Key::new("lifecycle", Shape::Text)
        .required()
        .one_of(Rule::Lifecycle, LIFECYCLES.words),
    Key::new("name", Shape::Text).required().rule(Rule::Name),
    Key::new("requirement", Shape::Text).required().one_of(
        Rule::Requirement,
        &["MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"],
    ),
    Key::new("tag", Shape::Text).rule(Rule::Tag),
    Key::new("priority", Shape::Integer),
    Key::new("app", Shape::Text).rule(Rule::App),
    Key::new("description", Shape::Text),
    Key::new("storage", Shape::Texts),
    Key::new("features", Shape::Texts).one_of(Rule::Feature, FEATURES.words),
    Key::new("config", Shape::Settings),
    Key::new("tags", Shape::Texts),
    Key::new("blocking", Shape::Flag),
    Key::new("dependencies", Shape::Texts),
    Key::new("tool", Shape::Text).rule(Rule::Glob),
    Key::new("required", Shape::Flag),
];

impl Key {
    const fn new(name: &'static str, shape: Shape) -> Key {
        Key {
            name,
            shape,
            required: false,
            rule: None,
            words: &[],
        }
    }

    const fn required(self) -> Key {
        Key {
            required: true,
            ..self
        }
    }

    const fn rule(self, rule: Rule) -> Key {
        Key {
            rule: Some(rule),
            ..self
        }
    }

    const fn one_of(self, rule: Rule, words: &'static [&'static str]) -> Key {
        Key {
            words,
            ..self.rule(rule)
        }
    }

    /// Returns the edit that gives the key a valid value.
    pub(crate) fn help(&self) -> String {
        let name = self.name;
        match (self.words, self.shape, self.rule) {
            ([first, between @ .., last], Shape::Text, _) => {
                let between: String = between.iter().map(|word| format!(", `{word}`")).collect();
                format!("write `{name}: {first}`{between} or `{last}`")
            }
            ([word, ..], ..) => format!("write one or more of them, as in `{name}: [{word}]`"),
            (_, _, Some(Rule::Name)) => "write `name: …`, a name for people".to_owned(),
            (_, _, Some(Rule::Tag)) => "write `tag: …` in kebab-case".to_owned(),
            (_, _, Some(Rule::Glob)) => "write a glob, as in `tool: store_*`".to_owned(),
            (_, Shape::Integer, _) => format!("write a whole number, as in `{name}: 50`"),
            (_, Shape::Flag, _) => format!("write `{name}: true`, or leave it out"),
            (_, Shape::Settings, _) => {
                format!("write a list of conditions, as in `{name}: [debug = true]`")
            }
            (_, Shape::Text | Shape::Texts, _) => format!("write `{name}: …`, or leave it out"),
        }
    }

    /// As [`help`](Key::help), for a value that breaks the rule and may be misspelt.
    pub(crate) fn help_for(&self, value: &str) -> String {
        match meant(value, self.words) {
            Some(word) if self.shape == Shape::Text => format!("write `{}: {word}`", self.name),
            Some(word) => format!("write `{word}`"),
            None => self.help(),
        }
    }

    /// Returns the message about a value that breaks the rule.
    pub(crate) fn complaint(&self, value: &str) -> String {
        let problem = match self.rule {
            Some(Rule::Name) => "the name is empty".to_owned(),
            Some(Rule::App) => "the app is empty".to_owned(),
            Some(Rule::Tag) => {
                format!("`{value}` is not in kebab-case: `a` to `z`, `0` to `9` and `-`")
            }
            Some(Rule::Glob) => format!("`{value}` is a malformed pattern"),
            _ => format!("`{value}` is none of `{}`", self.words.join("`, `")),
        };
        format!("`{}`: {problem}", self.name)
    }
}
