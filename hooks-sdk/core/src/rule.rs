//! The rules that hold in every protocol, each usable in a constant and at run time.

use super::{Problem, duration::duration, hook::is_id};

/// The longest deadline where no peer waits, in milliseconds.
pub const MAX_DEADLINE_MS: u64 = 600_000;

const TEXT_EMPTY: Problem =
    Problem::new("the text is empty\nhelp: write what the agent should read");
const ID: Problem = Problem::new(
    "this cannot be a hook's id\nhelp: use 1 to 64 of `a` to `z`, `0` to `9`, `_` and `-`",
);
const VALUE_EMPTY: Problem =
    Problem::new("the value is empty\nhelp: leave it out, or say what it is");
const NO_TIME: Problem = Problem::new(
    "this is not a time\nhelp: write a whole number with its unit, `ms`, `s` or `min`: `500ms`",
);
const DEADLINE: Problem = Problem::new(
    "the deadline is not between 1 ms and 10 minutes\nhelp: use a value from `1ms` to `10min`",
);

/// A text says something, and is not longer than [`MAX_TEXT`](super::text::MAX_TEXT): what to do about one that is,
/// each protocol says itself.
pub const fn text(text: &str, too_long: Problem) -> Option<Problem> {
    match super::text::problem(text) {
        Some(super::text::TextProblem::Empty) => Some(TEXT_EMPTY),
        Some(super::text::TextProblem::TooLong) => Some(too_long),
        None => None,
    }
}

/// A hook's id is 1 to 64 of `[a-z0-9_-]`.
pub const fn id(id: &str) -> Option<Problem> {
    if is_id(id) { None } else { Some(ID) }
}

/// A value says something.
pub const fn not_empty(value: &str) -> Option<Problem> {
    if value.is_empty() {
        Some(VALUE_EMPTY)
    } else {
        None
    }
}

/// A deadline is between 1 ms and 10 minutes.
pub const fn deadline_ms(ms: u64) -> Option<Problem> {
    if ms == 0 || ms > MAX_DEADLINE_MS {
        Some(DEADLINE)
    } else {
        None
    }
}

/// A time as an author writes it, in milliseconds, or what is wrong with it.
pub const fn millis(text: &str) -> Result<u64, Problem> {
    match duration(text) {
        Some(time) => Ok(time.as_millis() as u64),
        None => Err(NO_TIME),
    }
}

/// As [`deadline_ms`], for a time as an author writes it.
pub const fn deadline(text: &str) -> Option<Problem> {
    match millis(text) {
        Ok(ms) => deadline_ms(ms),
        Err(problem) => Some(problem),
    }
}
