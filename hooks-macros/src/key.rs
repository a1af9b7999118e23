//! The keys of the attributes: the rows of a grammar table, and those that several tables have.

use hooks_text::{POSTURES, glob, problem::Problem, rule};

use crate::value::Kind;

/// One row of the table.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) on: &'static [Target],
    /// For a key that each item that accepts it requires: the edit that adds it.
    pub(crate) required: Option<&'static str>,
    pub(crate) excludes: &'static [&'static str],
    /// On a unit struct: the key without which this one has no effect.
    pub(crate) requires: Option<&'static str>,
    /// For a list of words: another list, with which it may have no word in common.
    pub(crate) apart: Option<&'static str>,
    /// The rule about each text of the value.
    pub(crate) rule: Option<fn(&str) -> Option<Problem>>,
    /// The method of the hook's builder that takes the value; `None` if the attribute itself uses it.
    pub(crate) call: Option<&'static str>,
}

/// The kind of item under an attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    UnitStruct,
    Function,
    /// A method that is also a `#[tool]`.
    Tool,
}

impl Key {
    /// A key that every item accepts and none requires.
    pub(crate) const fn new(name: &'static str, kind: Kind) -> Key {
        let on = &[Target::UnitStruct, Target::Function, Target::Tool];
        Key {
            name,
            kind,
            on,
            required: None,
            excludes: &[],
            requires: None,
            apart: None,
            rule: None,
            call: None,
        }
    }

    pub(crate) const fn on(self, on: &'static [Target]) -> Key {
        Key { on, ..self }
    }

    pub(crate) const fn required(self, help: &'static str) -> Key {
        Key {
            required: Some(help),
            ..self
        }
    }

    pub(crate) const fn excludes(self, excludes: &'static [&'static str]) -> Key {
        Key { excludes, ..self }
    }

    pub(crate) const fn requires(self, key: &'static str) -> Key {
        Key {
            requires: Some(key),
            ..self
        }
    }

    pub(crate) const fn rule(self, rule: fn(&str) -> Option<Problem>) -> Key {
        Key {
            rule: Some(rule),
            ..self
        }
    }

    pub(crate) const fn call(self, method: &'static str) -> Key {
        Key {
            call: Some(method),
            ..self
        }
    }

    pub(crate) const fn apart(self, key: &'static str) -> Key {
        Key {
            apart: Some(key),
            ..self
        }
    }
}

/// A key whose value is a glob, or several.
pub(crate) const fn globs(name: &'static str, call: &'static str) -> Key {
    Key::new(name, Kind::Globs).rule(glob::problem).call(call)
}

pub(crate) const ID: Key = Key::new("id", Kind::Text);
pub(crate) const PRIORITY: Key = Key::new("priority", Kind::Integer).call("priority");
pub(crate) const DEADLINE: Key = Key::new("deadline", Kind::Time)
    .rule(rule::deadline)
    .call("deadline");
/// What happens where the hook gives no answer.
pub(crate) const POSTURE: Key = Key::new("posture", Kind::Word(&POSTURES)).call("posture");
pub(crate) const TAGS: Key = Key::new("tags", Kind::Texts)
    .rule(rule::not_empty)
    .call("tags");
pub(crate) const SERVER: Key = Key::new("server", Kind::Type).call("server");
/// Where the SDK is.
pub(crate) const CRATE: Key = Key::new("crate", Kind::Path);
