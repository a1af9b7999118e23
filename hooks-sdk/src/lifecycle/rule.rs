//! The rules for an author's values, each usable in a constant and at run time.

use hooks_text::variables as scan;

use super::{Event, Problem};
use crate::core::{
    glob,
    hook::is_id,
    text::{self as limits, MAX_TEXT, TextProblem, same},
};

/// The longest deadline of an answering hook, in milliseconds.
pub(super) const MAX_DEADLINE_MS: u64 = 600_000;

pub(super) const fn text(text: &str) -> Option<Problem> {
    match limits::problem(text) {
        Some(TextProblem::TooLong) => Some(Problem::TextTooLong),
        Some(TextProblem::Empty) => Some(Problem::TextEmpty),
        None => None,
    }
}

/// A known variable that has no value at `event`; any other `{word}` is text.
pub(super) const fn variables(event: Event, text: &str) -> Option<Problem> {
    // `text` reports a text that is too long; scanning it here would hang the compiler.
    if text.len() > MAX_TEXT || matches!(event, Event::PostToolUse) {
        return None;
    }
    let mut found = scan(text);
    while let Some(variable) = found.next_variable() {
        if same(variable.name, "tool_output") {
            return Some(Problem::NoToolOutput);
        }
        if event.is_tool_event() {
            continue;
        }
        if same(variable.name, "tool_name") {
            return Some(Problem::NoToolName);
        }
        if same(variable.name, "tool_input") {
            return Some(Problem::NoToolInput);
        }
    }
    None
}

pub(super) const fn matcher(event: Event) -> Option<Problem> {
    if event.is_tool_event() {
        None
    } else {
        Some(Problem::MatcherWithoutTool)
    }
}

pub(super) const fn matcher_not_empty(count: usize) -> Option<Problem> {
    if count == 0 {
        Some(Problem::MatcherEmpty)
    } else {
        None
    }
}

pub(super) const fn glob(pattern: &str) -> Option<Problem> {
    match glob::problem(pattern) {
        Some(problem) => Some(Problem::Glob(problem)),
        None => None,
    }
}

pub(super) const fn not_empty(value: &str) -> Option<Problem> {
    if value.is_empty() {
        Some(Problem::ValueEmpty)
    } else {
        None
    }
}

pub(super) const fn id(id: &str) -> Option<Problem> {
    if is_id(id) { None } else { Some(Problem::Id) }
}

pub(super) const fn deadline_ms(ms: u64) -> Option<Problem> {
    if ms == 0 || ms > MAX_DEADLINE_MS {
        Some(Problem::Deadline)
    } else {
        None
    }
}
