//! Takes the members of a table one by one, and says what is wrong with each.

use std::{fmt::Display, time::Duration};

use serde_json::Value;

use super::{
    fault::Faults,
    node::{Member, Node, NodeValue},
};
use hooks_core::{glob, internal::rule};

/// Keys of gateways' files, and what stands for them here.
const FOREIGN: [(&str, &str); 2] = [
    (
        "plugin_dirs",
        "remove it: the kinds of plugins are linked into the program",
    ),
    (
        "plugin_settings",
        "remove it: `deadline`, `limits` and `hook_policies` stand at the top of the file",
    ),
];

/// The members of a table whose keys are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableFields<'n> {
    pub(super) line: usize,
    members: &'n [Member],
}

/// A text and its line.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocatedText<'n> {
    pub(super) line: usize,
    pub(super) text: &'n str,
}

impl<'n> TableFields<'n> {
    /// Takes a value as a table with these keys. Every other key is a fault.
    pub(super) fn of(
        node: &'n Node,
        what: &str,
        known: &[&'static str],
        faults: &mut Faults,
    ) -> Option<TableFields<'n>> {
        let members = table(node, what, faults)?;
        for member in members {
            let foreign = FOREIGN.iter().find(|(key, _)| *key == member.key);
            if let Some((key, help)) = foreign {
                faults.add(
                    member.line,
                    format!("`{key}` has no meaning for a server"),
                    *help,
                );
            } else if !known.contains(&&*member.key) {
                let known = known.iter().copied();
                faults.unknown(member.line, "key", &member.key, known);
            }
        }
        Some(TableFields {
            line: node.line,
            members,
        })
    }

    /// Returns the member with this key. A key without a value is a fault.
    pub(super) fn get(&self, key: &str, faults: &mut Faults) -> Option<&'n Member> {
        let member = self.members.iter().find(|member| member.key == key)?;
        if member.node.value == NodeValue::Scalar(Value::Null) {
            let help = "write a value, or remove the line";
            faults.add(member.line, format!("`{key}` has no value"), help);
            return None;
        }
        Some(member)
    }

    /// Returns the line of a key, whether it has a value or not.
    pub(super) fn line_of(&self, key: &str) -> Option<usize> {
        let member = self.members.iter().find(|member| member.key == key)?;
        Some(member.line)
    }

    pub(super) fn text(&self, key: &str, faults: &mut Faults) -> Option<LocatedText<'n>> {
        let member = self.get(key, faults)?;
        let word = text(&member.node, &format!("`{key}`"), faults)?;
        if word.text.trim().is_empty() {
            let help = "write a value, or remove the line";
            faults.add(word.line, format!("`{key}` is empty"), help);
            return None;
        }
        Some(word)
    }

    pub(super) fn flag(&self, key: &str, faults: &mut Faults) -> Option<bool> {
        let member = self.get(key, faults)?;
        match member.node.value {
            NodeValue::Scalar(Value::Bool(flag)) => Some(flag),
            _ => {
                let message = format!("`{key}` is {}", member.node.what());
                faults.add(member.line, message, "write `true` or `false`");
                None
            }
        }
    }

    /// Returns a whole number.
    pub(super) fn whole<N>(
        &self,
        key: &str,
        (least, most): (N, N),
        faults: &mut Faults,
    ) -> Option<N>
    where
        N: TryFrom<i64> + Display + PartialOrd,
    {
        let member = self.get(key, faults)?;
        whole(member, (least, most), faults)
    }

    /// Returns a time between 1 ms and 10 minutes.
    pub(super) fn time(&self, key: &str, faults: &mut Faults) -> Option<Duration> {
        let word = self.text(key, faults)?;
        let millis = rule::millis(word.text).and_then(|ms| match rule::deadline_ms(ms) {
            Some(problem) => Err(problem),
            None => Ok(ms),
        });
        match millis {
            Ok(millis) => Some(Duration::from_millis(millis)),
            Err(problem) => {
                let message = format!("`{key}`: {}", problem.message());
                faults.add(word.line, message, problem.help());
                None
            }
        }
    }

    /// Returns a list with at least one text.
    pub(super) fn texts(&self, key: &str, faults: &mut Faults) -> Option<Vec<LocatedText<'n>>> {
        let member = self.get(key, faults)?;
        let words = texts(member, faults)?;
        if words.is_empty() {
            let message = format!("`{key}` is an empty list, which matches nothing");
            faults.add(
                member.line,
                message,
                "write a value into it, or remove the line",
            );
            return None;
        }
        Some(words)
    }

    /// Returns a list with at least one glob.
    pub(super) fn globs(&self, key: &str, faults: &mut Faults) -> Option<Vec<&'n str>> {
        let words = self.texts(key, faults)?;
        for word in &words {
            if let Some(problem) = glob::problem(word.text) {
                let message = format!("`{}`: {}", word.text, problem.message());
                faults.add(word.line, message, problem.help());
            }
        }
        Some(words.iter().map(|word| word.text).collect())
    }

    /// Returns the items of a list.
    pub(super) fn list(&self, key: &str, faults: &mut Faults) -> &'n [Node] {
        let Some(member) = self.get(key, faults) else {
            return &[];
        };
        match &member.node.value {
            NodeValue::List(items) => items,
            _ => {
                let message = format!("`{key}` is {}", member.node.what());
                faults.add(member.line, message, "write a list");
                &[]
            }
        }
    }

    /// Returns the members of the table under a key, whatever their keys are.
    pub(super) fn members(&self, key: &str, faults: &mut Faults) -> &'n [Member] {
        let Some(member) = self.get(key, faults) else {
            return &[];
        };
        table(&member.node, &format!("`{key}`"), faults).unwrap_or_default()
    }
}

fn table<'n>(node: &'n Node, what: &str, faults: &mut Faults) -> Option<&'n [Member]> {
    match &node.value {
        NodeValue::Table(members) => Some(members),
        _ => {
            let message = format!("{what} is {}", node.what());
            faults.add(node.line, message, "write a table of keys and values");
            None
        }
    }
}

pub(super) fn text<'n>(node: &'n Node, what: &str, faults: &mut Faults) -> Option<LocatedText<'n>> {
    match &node.value {
        NodeValue::Scalar(Value::String(text)) => Some(LocatedText {
            line: node.line,
            text,
        }),
        value => {
            let help = match value {
                NodeValue::Scalar(value) if !value.is_null() => format!("quote it: \"{value}\""),
                _ => "write a text".to_owned(),
            };
            faults.add(node.line, format!("{what} is {}", node.what()), help);
            None
        }
    }
}

/// Returns a list of texts, which may be empty.
pub(super) fn texts<'n>(member: &'n Member, faults: &mut Faults) -> Option<Vec<LocatedText<'n>>> {
    let key = &member.key;
    let NodeValue::List(items) = &member.node.value else {
        let message = format!("`{key}` is {}", member.node.what());
        faults.add(
            member.line,
            message,
            "write a list of texts, also for a single one",
        );
        return None;
    };
    let what = format!("a value in `{key}`");
    let words = items.iter().map(|item| text(item, &what, faults));
    words.collect::<Vec<_>>().into_iter().collect()
}

/// Returns a whole number in a range.
pub(super) fn whole<N: TryFrom<i64> + Display + PartialOrd>(
    member: &Member,
    (least, most): (N, N),
    faults: &mut Faults,
) -> Option<N> {
    let number = match &member.node.value {
        NodeValue::Scalar(Value::Number(number)) => number.as_i64(),
        _ => None,
    };
    let number = number.and_then(|number| N::try_from(number).ok());
    let number = number.filter(|number| (&least..=&most).contains(&number));
    if number.is_none() {
        let message = format!("`{}` is no whole number from {least} to {most}", member.key);
        faults.add(member.line, message, "write such a number, without quotes");
    }
    number
}
