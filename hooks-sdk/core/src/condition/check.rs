//! One test of a condition, prepared so that it needs no work beyond looking at the value.

use std::ops::{Bound, RangeBounds};

use hooks_text::condition::{Number, Scalar, Test};
use regex::Regex;
use serde_json::Value;

use super::{Subject, inside::Root};
use crate::glob;

/// A test in the form that is fastest to apply.
pub(super) enum Check {
    Present,
    Exact(Box<str>),
    Prefix(Box<str>),
    Number(Number),
    Flag(bool),
    OneOf(Box<[Check]>),
    Range(Bound<Number>, Bound<Number>),
    Inside(Root),
    LongerThan(usize),
    Matches(Regex),
}

/// What is wrong with a test, and what mends it.
type Wrong = (String, String);

impl Check {
    pub(super) fn new(test: Test) -> Result<Check, Wrong> {
        Ok(match test {
            Test::Present => Check::Present,
            Test::Is(scalar) => scalar_check(scalar)?,
            Test::OneOf(list) => {
                let checks: Result<_, _> = list.into_iter().map(scalar_check).collect();
                Check::OneOf(checks?)
            }
            Test::Range(from, to) => Check::Range(from, to),
            Test::Prefix(prefix) => Check::Prefix(prefix.into()),
            Test::Inside(folder) => Check::Inside(Root::new(&folder)?),
            Test::LongerThan(length) => Check::LongerThan(length),
            Test::Matches(pattern) => {
                let regex = Regex::new(&pattern).map_err(|error| no_regex(&error))?;
                Check::Matches(regex)
            }
        })
    }

    /// Returns the types of JSON that the test compares; empty for every type.
    pub(super) fn types(&self) -> Vec<&'static str> {
        match self {
            Check::Present => Vec::new(),
            Check::Exact(_) | Check::Prefix(_) | Check::Inside(_) | Check::Matches(_) => {
                vec!["string"]
            }
            Check::Number(_) | Check::Range(..) => vec!["number", "integer"],
            Check::Flag(_) => vec!["boolean"],
            Check::LongerThan(_) => vec!["string", "array", "object"],
            Check::OneOf(checks) => checks.iter().flat_map(Check::types).collect(),
        }
    }

    /// Whether the value passes; `None` if it is absent or of a type that the test does not cover. `every` is whether all
    /// readings of a path have to pass.
    pub(super) fn of(&self, subject: Option<Subject<'_>>, every: bool) -> Option<bool> {
        if matches!(self, Check::Present) {
            let present = subject.is_some_and(|it| !matches!(it, Subject::Value(Value::Null)));
            return Some(present);
        }
        match subject? {
            Subject::Text(text) => self.of_text(text, every),
            Subject::Command(command) => self.of_text(&command.text, every),
            Subject::Commands(items) => self.of_length(items.len()),
            Subject::Object(members) => self.of_length(members.len()),
            Subject::Value(Value::Array(items)) => self.of_length(items.len()),
            Subject::Texts(items) => self.of_length(items.len()),
            Subject::Value(Value::Number(number)) => self.of_number(exact(number)?),
            Subject::Value(Value::Bool(flag)) => self.of_flag(*flag),
            Subject::Value(Value::String(text)) => self.of_text(text, every),
            Subject::Value(Value::Object(members)) => self.of_length(members.len()),
            Subject::Value(Value::Null) => None,
        }
    }

    fn of_text(&self, text: &str, every: bool) -> Option<bool> {
        Some(match self {
            Check::Exact(whole) => **whole == *text,
            Check::Prefix(prefix) => text.starts_with(&**prefix),
            Check::Inside(folder) => folder.holds(text, every),
            Check::LongerThan(length) => {
                // A text has at most as many characters as bytes.
                text.len() > *length && text.chars().nth(*length).is_some()
            }
            Check::Matches(regex) => regex.is_match(text),
            Check::OneOf(checks) => return one_of(checks, |check| check.of_text(text, every)),
            Check::Present | Check::Number(_) | Check::Flag(_) | Check::Range(..) => return None,
        })
    }

    fn of_length(&self, length: usize) -> Option<bool> {
        match self {
            Check::LongerThan(limit) => Some(length > *limit),
            _ => None,
        }
    }

    fn of_number(&self, number: Number) -> Option<bool> {
        match self {
            Check::Number(own) => Some(*own == number),
            Check::Range(from, to) => Some((*from, *to).contains(&number)),
            Check::OneOf(checks) => one_of(checks, |check| check.of_number(number)),
            _ => None,
        }
    }

    fn of_flag(&self, flag: bool) -> Option<bool> {
        match self {
            Check::Flag(own) => Some(*own == flag),
            Check::OneOf(checks) => one_of(checks, |check| check.of_flag(flag)),
            _ => None,
        }
    }
}

/// `true` if one passes; otherwise `None` if none can judge the value.
fn one_of(checks: &[Check], judge: impl Fn(&Check) -> Option<bool>) -> Option<bool> {
    let mut judged = None;
    for check in checks {
        match judge(check) {
            Some(true) => return Some(true),
            Some(false) => judged = Some(false),
            None => {}
        }
    }
    judged
}

fn scalar_check(scalar: Scalar) -> Result<Check, Wrong> {
    let pattern = match scalar {
        Scalar::Number(number) => return Ok(Check::Number(number)),
        Scalar::Flag(flag) => return Ok(Check::Flag(flag)),
        Scalar::Text(pattern) => pattern,
    };
    // Only here may a pattern be empty: it is the empty text.
    if glob::is_name(&pattern) {
        return Ok(Check::Exact(pattern.into()));
    }
    if let Some(problem) = glob::problem(&pattern) {
        return Err((problem.message().to_owned(), problem.help().to_owned()));
    }
    let before = pattern.trim_end_matches('*');
    Ok(if before.len() < pattern.len() && glob::is_name(before) {
        Check::Prefix(before.into())
    } else {
        // In linear time, which a text of a megabyte needs.
        let regex = Regex::new(&as_regex(&pattern)).map_err(|error| no_regex(&error))?;
        Check::Matches(regex)
    })
}

/// Returns the regular expression for a well-formed glob.
fn as_regex(pattern: &str) -> String {
    let mut written = String::from(r"(?s)\A");
    let mut rest = pattern.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '*' if written.ends_with(".*") => {}
            '*' => written.push_str(".*"),
            '?' => written.push('.'),
            '[' => {
                let class: Vec<char> = rest.by_ref().take_while(|letter| *letter != ']').collect();
                written.push_str(&class_of(&class));
            }
            other => written.push_str(&quoted(other)),
        }
    }
    written + r"\z"
}

fn class_of(letters: &[char]) -> String {
    let (mut class, mut rest) = match letters {
        ['!', rest @ ..] => ("[^".to_owned(), rest),
        rest => ("[".to_owned(), rest),
    };
    loop {
        rest = match rest {
            [] => return class + "]",
            [low, '-', high, rest @ ..] => {
                class.push_str(&format!("{}-{}", quoted(*low), quoted(*high)));
                rest
            }
            [letter, rest @ ..] => {
                class.push_str(&quoted(*letter));
                rest
            }
        };
    }
}

fn quoted(letter: char) -> String {
    format!(r"\x{{{:x}}}", u32::from(letter))
}

fn no_regex(error: &regex::Error) -> Wrong {
    let help =
        "see the syntax of the `regex` crate, which has no look-around and no backreferences";
    // The last line says what is wrong; the ones before it show where, in several lines.
    let said = error.to_string();
    let last = said.lines().last().unwrap_or_default();
    let last = last.trim_start_matches("error: ");
    (
        format!("this is no regular expression: {last}"),
        help.to_owned(),
    )
}

/// Returns a number of JSON without rounding.
fn exact(number: &serde_json::Number) -> Option<Number> {
    let whole = number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from));
    match whole {
        Some(whole) => Some(Number::Whole(whole)),
        None => Number::fraction(number.as_f64()?),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_glob_is_the_same_as_a_regular_expression(
            pattern in "([ab*?é\\\\.-]|\\[!?([ab*é]|a-b|-)+\\])*", name in "[abc\né\\[*.-]{0,6}"
        ) {
            if glob::problem(&pattern).is_none() {
                let check = scalar_check(Scalar::Text(pattern.clone())).ok().unwrap();
                let expected = Some(glob::matches(&pattern, &name));
                prop_assert_eq!(check.of_text(&name, true), expected, "{:?} on {:?}", pattern, name);
            }
        }
    }
}
