//! The rules about an author's values, usable in constants and at run time.
//!
//! A broken rule is a constant text with the one edit that mends it after `help:`, because a `const` panic cannot
//! format.

use super::{Definition, point::At, sender::Sender};
use crate::core::{OnFailure, hook::is_id};

/// The longest name of a feature set, in bytes.
const MAX_NAME: usize = 128;

/// The longest deadline at a point where no host waits, in milliseconds.
const MAX_DEADLINE_MS: u64 = 600_000;

/// What is wrong and, after `help:`, the edit that mends it.
pub(super) type Broken = &'static str;

pub(super) const fn name(name: &str) -> Option<Broken> {
    const WORDS: Broken = "this cannot be the name of a feature set\n\
        help: write 1 to 128 of `A` to `Z`, `a` to `z`, `0` to `9`, `_` and `-`, in parts divided by single dots: \
        `memory.recall`";
    let bytes = name.as_bytes();
    if bytes.len() > MAX_NAME {
        return Some(WORDS);
    }
    let mut at = 0;
    let mut part = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'.' if part == 0 => return Some(WORDS),
            b'.' => part = 0,
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' => part += 1,
            _ => return Some(WORDS),
        }
        at += 1;
    }
    // Rejects a name with an empty part, also as its last one.
    if part == 0 { Some(WORDS) } else { None }
}

pub(super) const fn description(text: &str) -> Option<Broken> {
    if text.trim_ascii().is_empty() {
        return Some(
            "the description is empty\nhelp: say what the feature set does, for who decides on it",
        );
    }
    None
}

pub(super) const fn declared(set: &Definition, sender: Sender) -> Option<Broken> {
    if set.may_send(sender) {
        return None;
    }
    Some(match sender {
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
    })
}

pub(super) const fn id(id: &str) -> Option<Broken> {
    if is_id(id) {
        return None;
    }
    Some("this cannot be a hook's id\nhelp: use 1 to 64 of `a` to `z`, `0` to `9`, `_` and `-`")
}

pub(super) const fn inject(at: At) -> Option<Broken> {
    if at.is(At::BeforeInference) {
        return None;
    }
    Some("`inject` applies only to `before_inference` hooks\nhelp: remove it")
}

pub(super) const fn optional(at: At) -> Option<Broken> {
    if at.is(At::BeforeInference) {
        return None;
    }
    Some("`optional` applies only to `before_inference` hooks\nhelp: remove it")
}

pub(super) const fn observe(at: At) -> Option<Broken> {
    if at.is(At::BeforeInference) {
        return None;
    }
    Some("`observe` applies only to `before_inference` hooks\nhelp: remove it")
}

/// A hook that returns `()` cannot inject.
pub(super) const fn inject_nothing(at: At, says: bool) -> Option<Broken> {
    // At other points `inject` itself is wrong, and another rule reports it.
    if says || !at.is(At::BeforeInference) {
        return None;
    }
    Some(
        "the hook answers nothing, so that it has nothing to put into the context\n\
         help: answer with `Vec<Injection>`, or remove the positions",
    )
}

/// An answer to a host that does not wait for one is lost.
pub(super) const fn change(at: At, blocking: bool, says: bool) -> Option<Broken> {
    if !at.is(At::AfterInference) || blocking || !says {
        return None;
    }
    Some(
        "the hook changes what the model said, but no host waits for it\n\
         help: add `blocking`, or answer nothing",
    )
}

pub(super) const fn blocking(at: At) -> Option<Broken> {
    if at.is(At::AfterInference) {
        return None;
    }
    Some("`blocking` applies only to `after_inference` hooks\nhelp: remove it")
}

/// A disabled blocking hook would let through what it should stop.
pub(super) const fn blocking_failure(policy: OnFailure) -> Option<Broken> {
    match policy {
        OnFailure::Disable => Some(
            "a `blocking` hook that is disabled lets every later answer pass unchanged\n\
             help: write `on_failure = fail`",
        ),
        _ => None,
    }
}

pub(super) const fn deadline_ms(at: At, ms: u64) -> Option<Broken> {
    let longest = match at {
        At::BeforeInference | At::AfterInference => at.deadline().as_millis() as u64,
        _ => MAX_DEADLINE_MS,
    };
    if ms != 0 && ms <= longest {
        return None;
    }
    Some(match at {
        At::BeforeInference => {
            "the deadline of a `before_inference` hook is not between 1 ms and 4.5 s, and hosts wait 5 s\n\
             help: use a value from 1 to 4500"
        }
        At::AfterInference => {
            "the deadline of an `after_inference` hook is not between 1 ms and 9.5 s, and hosts wait 10 s\n\
             help: use a value from 1 to 9500"
        }
        _ => "the deadline is not between 1 ms and 10 minutes\nhelp: use a value from 1 to 600000",
    })
}

pub(super) const fn scope(argument: &str) -> Option<Broken> {
    if argument.is_empty() {
        return Some(
            "the argument has no name\nhelp: name the argument of the tool whose value is the scope's label",
        );
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

    #[test]
    fn deadlines_stay_within_what_hosts_wait() {
        for (at, longest) in [
            (At::BeforeInference, 4500),
            (At::AfterInference, 9500),
            (At::Rollback, 600_000),
            (At::Enabled, 600_000),
        ] {
            assert_eq!(deadline_ms(at, 1).or(deadline_ms(at, longest)), None);
            assert!(deadline_ms(at, 0).is_some() && deadline_ms(at, longest + 1).is_some());
        }
    }
}
