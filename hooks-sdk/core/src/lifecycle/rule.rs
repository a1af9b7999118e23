//! The rules for an author's values, each usable in a constant and at run time.

use hooks_text::variables as scan;

use super::{
    Event,
    problem::{
        MATCHER_EMPTY, MATCHER_WITHOUT_TOOL, NO_TOOL_INPUT, NO_TOOL_NAME, NO_TOOL_OUTPUT,
        TEXT_TOO_LONG,
    },
};
use crate::{
    Problem, rule as shared,
    text::{MAX_TEXT, same},
};
pub(super) use crate::{
    glob::problem as glob,
    rule::{deadline, deadline_ms, id, not_empty},
};

pub(super) const fn text(text: &str) -> Option<Problem> {
    shared::text(text, TEXT_TOO_LONG)
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
            return Some(NO_TOOL_OUTPUT);
        }
        if event.is_tool_event() {
            continue;
        }
        if same(variable.name, "tool_name") {
            return Some(NO_TOOL_NAME);
        }
        if same(variable.name, "tool_input") {
            return Some(NO_TOOL_INPUT);
        }
    }
    None
}

pub(super) const fn matcher(event: Event) -> Option<Problem> {
    if event.is_tool_event() {
        None
    } else {
        Some(MATCHER_WITHOUT_TOOL)
    }
}

pub(super) const fn matcher_not_empty(count: usize) -> Option<Problem> {
    if count == 0 {
        Some(MATCHER_EMPTY)
    } else {
        None
    }
}
