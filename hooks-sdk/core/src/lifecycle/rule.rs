//! The rules for an author's values, each usable in a constant and at run time.
//!
//! The attribute passes each problem to [`Problem::pass`] in a constant, so that the compile error underlines the author's
//! own literal. [`problems`](super::problems()) applies the same rules to hooks that were built by hand.

use hooks_text::variables as scan;

use super::{
    Event,
    problem::{
        MATCHER_EMPTY, MATCHER_WITHOUT_TOOL, NO_TOOL_INPUT, NO_TOOL_NAME, NO_TOOL_OUTPUT,
        TEXT_TOO_LONG,
    },
};
pub use crate::{
    Problem,
    glob::problem as glob,
    rule::{deadline, deadline_ms, id, not_empty},
};
use crate::{
    rule as shared,
    text::{MAX_TEXT, same},
};

/// A `context` is not empty, and at most 32 KiB long.
pub const fn text(text: &str) -> Option<Problem> {
    shared::text(text, TEXT_TOO_LONG)
}

/// Each known variable in `text` can have a value at `event` (SEP-2282, "Template variables"); any other `{word}` is text.
pub const fn variables(event: Event, text: &str) -> Option<Problem> {
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

/// `event` can have a `matcher` (SEP-2282, "Hook declaration schema").
pub const fn matcher(event: Event) -> Option<Problem> {
    if event.is_tool_event() {
        None
    } else {
        Some(MATCHER_WITHOUT_TOOL)
    }
}

/// A `matcher` with `count` conditions has at least one.
pub const fn matcher_not_empty(count: usize) -> Option<Problem> {
    if count == 0 {
        Some(MATCHER_EMPTY)
    } else {
        None
    }
}
