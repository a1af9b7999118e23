//! Reads a table of the file as a type of serde, and says what is wrong with each member.

use std::time::Duration;

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error, IntoDeserializer},
};
use serde_json::Value;

use super::{
    super::members::steps,
    fault::{Faults, clip, unknown},
    node::{Node, NodeValue},
};
use hooks_core::internal::rule;

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

/// Reads a table. Each member that is wrong is a fault, and counts as absent.
pub(super) fn read<T: DeserializeOwned + Default>(
    node: &Node,
    what: &str,
    faults: &mut Faults,
) -> Option<T> {
    let NodeValue::Table(members) = &node.value else {
        let message = format!("{what} is {}", node.what());
        faults.add(node.line, message, "write a table of keys and values");
        return None;
    };
    let (told, empty): (Vec<_>, Vec<_>) = members.iter().partition(|it| it.says_something());
    for member in empty {
        let what = match member.node.value {
            NodeValue::Scalar(Value::Null) => "has no value",
            _ => "is empty",
        };
        let message = format!("`{}` {what}", clip(&member.key));
        faults.add(member.line, message, "write a value, or remove the line");
    }
    let members = told.into_iter();
    let members = members.map(|member| (member.key.clone(), member.node.json()));
    let mut table = Value::Object(members.collect());
    while !faults.is_full() {
        let wrong = match serde_path_to_error::deserialize(&table) {
            Ok(read) => return Some(read),
            Err(wrong) => wrong,
        };
        let path = steps(wrong.path());
        let steps: Vec<&str> = path.iter().map(String::as_str).collect();
        let (line, found) = node.at(steps.iter().copied());
        let (message, help) = worded(found, &steps, &wrong.inner().to_string());
        faults.add(line, message, help);
        table.as_object_mut()?.remove(*steps.first()?);
    }
    None
}

/// Returns serde's message in the words of the file, with its help.
fn worded(found: &Node, path: &[&str], message: &str) -> (String, String) {
    let is_place = |step: &&&str| step.parse::<usize>().is_ok();
    let key = path.iter().rfind(|step| !is_place(step)).unwrap_or(&"");
    let key_name = clip(key);
    let named = match path.last().filter(is_place) {
        Some(_) => format!("a value in `{key_name}`"),
        None => format!("`{key_name}`"),
    };
    let mut words = message.split('`').skip(1).step_by(2);
    if message.starts_with("unknown ") {
        let (word, known) = (words.next().unwrap_or_default(), words.collect::<Vec<_>>());
        if let Some((_, help)) = FOREIGN.iter().find(|(foreign, _)| *foreign == word) {
            let message = format!("`{word}` has no meaning for a server");
            return (message, (*help).to_owned());
        }
        let parent = path
            .iter()
            .rev()
            .find(|step| **step != word && !is_place(step));
        let what = match parent {
            _ if message.starts_with("unknown field ") => "key",
            Some(&"hooks" | &"limits" | &"hook_policies") => "point",
            Some(&"mode") => "mode",
            Some(&"kinds") => "kind",
            Some(&"lists") => "list",
            _ => "posture",
        };
        return unknown(what, word, known);
    }
    if message.starts_with("missing ") {
        let lacks = words.next().unwrap_or_default();
        let help = format!("write `{lacks}:` with its value");
        return (format!("{named} has no `{lacks}`"), help);
    }
    if let Some((_, wanted)) = message.rsplit_once(", expected ")
        && message.starts_with("invalid type")
    {
        let help = match (wanted, &found.value) {
            ("a sequence", _) => "write a list, also for a single value".to_owned(),
            ("a boolean", _) => "write `true` or `false`".to_owned(),
            ("a map", _) => "write a table of keys and values".to_owned(),
            (wanted, _) if wanted.starts_with("struct ") => {
                "write a table of keys and values".to_owned()
            }
            (_, NodeValue::Scalar(value)) if !value.is_string() => format!("quote it: \"{value}\""),
            _ => "write a text".to_owned(),
        };
        return (format!("{named} is {}", found.what()), help);
    }
    let parts = message.split_once("\nhelp: ");
    let (message, help) = parts.unwrap_or((message, "write another value"));
    let between = if message.starts_with(' ') { "" } else { ": " };
    (format!("{named}{between}{message}"), help.to_owned())
}

/// Reports lists that match nothing, because nothing is in them.
pub(super) fn no_empty_lists(table: &Node, faults: &mut Faults) {
    for member in table.members() {
        let key = &*member.key;
        match &member.node.value {
            NodeValue::List(items) if key == "conditions" => {
                items.iter().for_each(|item| no_empty_lists(item, faults));
            }
            NodeValue::List(items) if items.is_empty() && key != "tags" => {
                let message = format!("`{}` is an empty list, which matches nothing", clip(key));
                let help = "write a value into it, or remove the line";
                faults.add(member.line, message, help);
            }
            _ => {}
        }
    }
}

/// A whole number in a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Whole<const LEAST: i64, const MOST: i64>(pub(super) i64);

impl<'de, const LEAST: i64, const MOST: i64> Deserialize<'de> for Whole<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = i64::deserialize(deserializer).ok();
        let number = number.filter(|number| (LEAST..=MOST).contains(number));
        number.map(Whole).ok_or_else(|| {
            Error::custom(format_args!(
                " is no whole number from {LEAST} to {MOST}\nhelp: write such a number, without quotes"
            ))
        })
    }
}

/// A key that is one of some words. It is read as a text, so that the way to a mistake below it has the key.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key<T>(pub(super) T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Key<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key<T>, D::Error> {
        let word = String::deserialize(deserializer)?;
        let word = IntoDeserializer::<D::Error>::into_deserializer(word);
        T::deserialize(word).map(Key)
    }
}

/// Reads a time between 1 ms and 10 minutes.
pub(super) fn time<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let millis = rule::millis(&text).and_then(|ms| rule::deadline_ms(ms).map_or(Ok(ms), Err));
    millis
        .map(|ms| Some(Duration::from_millis(ms)))
        .map_err(|problem| {
            Error::custom(format_args!(
                "{}\nhelp: {}",
                problem.message(),
                problem.help()
            ))
        })
}
