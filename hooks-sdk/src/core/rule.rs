//! The rules that hold in every room, each usable in a constant and at run time.

use super::{Problem, hook::is_id};

/// The longest deadline where no peer waits, in milliseconds.
pub(crate) const MAX_DEADLINE_MS: u64 = 600_000;

const TEXT_EMPTY: Problem =
    Problem::new("the text is empty\nhelp: write what the agent should read");
const ID: Problem = Problem::new(
    "this cannot be a hook's id\nhelp: use 1 to 64 of `a` to `z`, `0` to `9`, `_` and `-`",
);
const VALUE_EMPTY: Problem =
    Problem::new("the value is empty\nhelp: leave it out, or say what it is");
const DEADLINE: Problem = Problem::new(
    "the deadline is not between 1 ms and 10 minutes\nhelp: use a value from 1 to 600000",
);

/// A text says something, and is not longer than [`MAX_TEXT`](super::text::MAX_TEXT): what to do about one that is,
/// each room says itself.
pub(crate) const fn text(text: &str, too_long: Problem) -> Option<Problem> {
    match super::text::problem(text) {
        Some(super::text::TextProblem::Empty) => Some(TEXT_EMPTY),
        Some(super::text::TextProblem::TooLong) => Some(too_long),
        None => None,
    }
}

/// A hook's id is 1 to 64 of `[a-z0-9_-]`.
pub(crate) const fn id(id: &str) -> Option<Problem> {
    if is_id(id) { None } else { Some(ID) }
}

/// A value says something.
pub(crate) const fn not_empty(value: &str) -> Option<Problem> {
    if value.is_empty() {
        Some(VALUE_EMPTY)
    } else {
        None
    }
}

/// A deadline is between 1 ms and 10 minutes.
pub(crate) const fn deadline_ms(ms: u64) -> Option<Problem> {
    if ms == 0 || ms > MAX_DEADLINE_MS {
        Some(DEADLINE)
    } else {
        None
    }
}
