//! The rules about an author's values. The attributes apply them to literals, and the SDK to hooks that were made by hand.
//!
//! A rule about the point of a hook takes the point's word.

pub mod aos;
pub mod guidance;
pub mod lifecycle;
pub mod mcpl;
pub mod plugin;

use crate::{MAX_TEXT, duration::duration, problem::Problem};

/// The longest deadline where no peer waits, in milliseconds.
pub const MAX_DEADLINE_MS: u64 = 600_000;

const TEXT_EMPTY: Problem =
    Problem::new("the text is empty\nhelp: write what the agent should read");
const ID: Problem = Problem::new(
    "this cannot be a hook's id\nhelp: use 1 to 64 of `a` to `z`, `0` to `9`, `_` and `-`",
);
const VALUE_EMPTY: Problem = Problem::new("the value is empty\nhelp: write one, or leave it out");
const NO_TIME: Problem = Problem::new(
    "this is not a time\nhelp: write a whole number with its unit, `ms`, `s` or `min`: `500ms`",
);
const DEADLINE: Problem = Problem::new(
    "the deadline is not between 1 ms and 10 minutes\nhelp: use a value from `1ms` to `10min`",
);

/// Returns the problem in these words, if the rule is broken.
fn broken(is_broken: bool, words: &'static str) -> Option<Problem> {
    is_broken.then(|| Problem::new(words))
}

/// A text says something, and is not longer than [`MAX_TEXT`]: what to do about one that is, each protocol says itself.
fn text(text: &str, too_long: Problem) -> Option<Problem> {
    if text.len() > MAX_TEXT {
        return Some(too_long);
    }
    text.trim_ascii().is_empty().then_some(TEXT_EMPTY)
}

/// A hook's id is 1 to 64 of `[a-z0-9_-]`.
pub fn id(id: &str) -> Option<Problem> {
    let fits = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    let is_id = (1..=64).contains(&id.len()) && id.bytes().all(fits);
    (!is_id).then_some(ID)
}

/// A value says something.
pub fn not_empty(value: &str) -> Option<Problem> {
    value.is_empty().then_some(VALUE_EMPTY)
}

/// A deadline is between 1 ms and 10 minutes.
pub fn deadline_ms(ms: u64) -> Option<Problem> {
    (ms == 0 || ms > MAX_DEADLINE_MS).then_some(DEADLINE)
}

/// A time as an author writes it, in milliseconds.
///
/// # Errors
///
/// Returns the rule if the text is no time.
pub fn millis(text: &str) -> Result<u64, Problem> {
    let time = duration(text).ok_or(NO_TIME)?;
    Ok(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// As [`deadline_ms`], for a time as an author writes it.
pub fn deadline(text: &str) -> Option<Problem> {
    millis(text).map_or_else(Some, deadline_ms)
}
