//! The rules about an author's values, usable in constants and at run time.

use super::{point::At, sender::Sender};
pub(super) use hooks_core::internal::rule::id;
use hooks_core::{Problem, internal::rule as shared};

/// The longest name of a feature set, in bytes.
const MAX_NAME: usize = 128;

pub(super) const fn name(name: &str) -> Option<Problem> {
    const NAME: Problem = Problem::new(
        "this cannot be the name of a feature set\n\
        help: write 1 to 128 of `A` to `Z`, `a` to `z`, `0` to `9`, `_` and `-`, in parts divided by single dots: \
        `memory.recall`",
    );
    let bytes = name.as_bytes();
    if bytes.len() > MAX_NAME {
        return Some(NAME);
    }
    let mut at = 0;
    let mut part = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'.' if part == 0 => return Some(NAME),
            b'.' => part = 0,
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' => part += 1,
            _ => return Some(NAME),
        }
        at += 1;
    }
    // Rejects a name with an empty part, also as its last one.
    if part == 0 { Some(NAME) } else { None }
}

pub(super) const fn description(text: &str) -> Option<Problem> {
    if text.trim_ascii().is_empty() {
        return Some(Problem::new(
            "the description is empty\nhelp: say what the feature set does, for who decides on it",
        ));
    }
    None
}

pub(super) const fn declared(is_named: bool, sender: Sender) -> Option<Problem> {
    if is_named {
        return None;
    }
    Some(Problem::new(match sender {
        Sender::Push => {
            "its definition does not name `Sender::Push`\nhelp: add it to `Definition::sends`"
        }
        Sender::Inference => {
            "its definition does not name `Sender::Inference`\nhelp: add it to `Definition::sends`"
        }
        Sender::ModelInfo => {
            "its definition does not name `Sender::ModelInfo`\nhelp: add it to `Definition::sends`"
        }
        Sender::Register => {
            "its definition does not name `Sender::Register`\nhelp: add it to `Definition::sends`"
        }
        Sender::Incoming => {
            "its definition does not name `Sender::Incoming`\nhelp: add it to `Definition::sends`"
        }
    }))
}

/// A setting that only hooks at one point take.
const fn only_at(point: At, at: At, words: &'static str) -> Option<Problem> {
    if at.is(point) {
        return None;
    }
    Some(Problem::new(words))
}

pub(super) const fn inject(at: At) -> Option<Problem> {
    const WORDS: &str = "`inject` applies only to `before_inference` hooks\nhelp: remove it";
    only_at(At::BeforeInference, at, WORDS)
}

pub(super) const fn optional(at: At) -> Option<Problem> {
    const WORDS: &str = "`optional` applies only to `before_inference` hooks\nhelp: remove it";
    only_at(At::BeforeInference, at, WORDS)
}

pub(super) const fn observe(at: At) -> Option<Problem> {
    const WORDS: &str = "`observe` applies only to `before_inference` hooks\nhelp: remove it";
    only_at(At::BeforeInference, at, WORDS)
}

/// A hook that returns `()` cannot inject.
pub(super) const fn inject_nothing(at: At, says: bool) -> Option<Problem> {
    // At other points `inject` itself is wrong, and another rule reports it.
    if says || !at.is(At::BeforeInference) {
        return None;
    }
    Some(Problem::new(
        "the hook answers nothing, so that it has nothing to put into the context\n\
         help: answer with `Vec<Injection>`, or remove the positions",
    ))
}

/// An answer to a host that does not wait for one is lost.
pub(super) const fn change(at: At, blocking: bool, says: bool) -> Option<Problem> {
    if !at.is(At::AfterInference) || blocking || !says {
        return None;
    }
    Some(Problem::new(
        "the hook changes what the model said, but no host waits for it\n\
         help: add `blocking`, or answer nothing",
    ))
}

pub(super) const fn blocking(at: At) -> Option<Problem> {
    const WORDS: &str = "`blocking` applies only to `after_inference` hooks\nhelp: remove it";
    only_at(At::AfterInference, at, WORDS)
}

pub(super) const fn deadline_ms(at: At, ms: u64) -> Option<Problem> {
    let words = match at {
        At::BeforeInference => {
            "the deadline of a `before_inference` hook is not between 1 ms and 4.5 s, and hosts wait 5 s\n\
             help: use a value from `1ms` to `4500ms`"
        }
        At::AfterInference => {
            "the deadline of an `after_inference` hook is not between 1 ms and 9.5 s, and hosts wait 10 s\n\
             help: use a value from `1ms` to `9500ms`"
        }
        _ => return shared::deadline_ms(ms),
    };
    if ms != 0 && ms <= at.deadline().as_millis() as u64 {
        return None;
    }
    Some(Problem::new(words))
}

/// As [`deadline_ms`], for a time as an author writes it.
pub(super) const fn deadline(at: At, time: &str) -> Option<Problem> {
    match shared::millis(time) {
        Ok(ms) => deadline_ms(at, ms),
        Err(problem) => Some(problem),
    }
}

pub(super) const fn scope(argument: &str) -> Option<Problem> {
    if argument.is_empty() {
        return Some(Problem::new(
            "the argument has no name\nhelp: name the argument of the tool whose value is the scope's label",
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for good in ["a", "memory.recall", "A-1_b.c2", "0.0", &"a".repeat(128)] {
            assert_eq!(name(good), None, "{good}");
        }
        let long = "a".repeat(129);
        for bad in [
            "", ".", "a.", ".a", "a..b", "a b", "a/b", "é", "a\n", "*", "a.*", &long,
        ] {
            assert!(name(bad).is_some(), "{bad:?}");
        }
    }
}
