//! The keys of a hook file's front matter, for the macros and for the SDK.

use crate::{
    glob,
    nearest::meant,
    problem::Problem,
    rule::guidance as rule,
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
    /// The allowed words; empty if it takes any.
    pub words: &'static [&'static str],
    rule: Option<fn(&str) -> Option<Problem>>,
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

/// Every key, in the order of messages.
pub const KEYS: &[Key] = &[
    Key::new("type", Shape::Text).required().one_of(TYPES.words),
    Key::new("lifecycle", Shape::Text)
        .required()
        .one_of(LIFECYCLES.words),
    Key::new("name", Shape::Text).required().rule(rule::name),
    Key::new("requirement", Shape::Text).required().one_of(&[
        "MUST",
        "MUST NOT",
        "SHOULD",
        "SHOULD NOT",
        "MAY",
    ]),
    Key::new("tag", Shape::Text).rule(rule::tag),
    Key::new("priority", Shape::Integer),
    Key::new("app", Shape::Text).rule(rule::app),
    Key::new("description", Shape::Text),
    Key::new("storage", Shape::Texts),
    Key::new("features", Shape::Texts).one_of(FEATURES.words),
    Key::new("config", Shape::Settings),
    Key::new("tags", Shape::Texts),
    Key::new("blocking", Shape::Flag),
    Key::new("dependencies", Shape::Texts),
    Key::new("tool", Shape::Text).rule(glob::problem),
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

    const fn rule(self, rule: fn(&str) -> Option<Problem>) -> Key {
        Key {
            rule: Some(rule),
            ..self
        }
    }

    const fn one_of(self, words: &'static [&'static str]) -> Key {
        Key { words, ..self }
    }

    /// Returns the edit that gives the key a valid value.
    pub(crate) fn help(&self) -> String {
        let name = self.name;
        match (self.words, self.shape, name) {
            ([first, between @ .., last], Shape::Text, _) => {
                let between: String = between.iter().map(|word| format!(", `{word}`")).collect();
                format!("write `{name}: {first}`{between} or `{last}`")
            }
            ([word, ..], ..) => format!("write one or more of them, as in `{name}: [{word}]`"),
            (_, _, "name") => "write `name: …`, a name for people".to_owned(),
            (_, _, "tag") => "write `tag: …` in kebab-case".to_owned(),
            (_, _, "tool") => "write a glob, as in `tool: store_*`".to_owned(),
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

    /// Returns the message about a value that breaks the rule of the key.
    pub(crate) fn complaint(&self, value: &str) -> Option<String> {
        let problem = match self.words {
            [] => (self.rule?)(value)?.message().to_owned(),
            words if words.contains(&value) => return None,
            words => format!("`{value}` is none of `{}`", words.join("`, `")),
        };
        let problem = match self.name {
            "tag" => format!("`{value}` is not in kebab-case: `a` to `z`, `0` to `9` and `-`"),
            _ => problem,
        };
        Some(format!("`{}`: {problem}", self.name))
    }
}
