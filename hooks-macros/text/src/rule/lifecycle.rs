//! The rules about lifecycle hooks.

use super::Problem;
pub use super::{deadline_ms, id, not_empty};
pub use crate::glob::problem as glob;
use crate::{MAX_TEXT, variables as scan};

/// A text longer than the limit.
pub const TEXT_TOO_LONG: Problem = Problem::new(
    "the text is longer than 32768 bytes\nhelp: shorten it, or answer with a `context_tool`",
);
/// `{tool_name}` at an event without a tool.
pub const NO_TOOL_NAME: Problem = Problem::new(
    "`{tool_name}` is only known in `pre_tool_use` and `post_tool_use` hooks\n\
     help: leave it out, or use the event `post_tool_use`",
);
/// `{tool_input}` at an event without a tool.
pub const NO_TOOL_INPUT: Problem = Problem::new(
    "`{tool_input}` is only known in `pre_tool_use` and `post_tool_use` hooks\n\
     help: leave it out, or use the event `post_tool_use`",
);
/// `{tool_output}` at another event than `post_tool_use`.
pub const NO_TOOL_OUTPUT: Problem = Problem::new(
    "`{tool_output}` is only known in `post_tool_use` hooks\n\
     help: leave it out, or use the event `post_tool_use`",
);
/// A matcher at an event without a tool.
pub const MATCHER_WITHOUT_TOOL: Problem = Problem::new(
    "`matcher` applies only to `pre_tool_use` and `post_tool_use` hooks\nhelp: remove it",
);
/// A matcher without a condition.
pub const MATCHER_EMPTY: Problem = Problem::new(
    "`matcher` has no condition\n\
     help: remove it, or give it `tool_name`, `input_contains` or `tool_server`",
);

fn is_tool_event(event: &str) -> bool {
    matches!(event, "pre_tool_use" | "post_tool_use")
}

/// A `context` is not empty, and at most 32 KiB long.
pub fn text(text: &str) -> Option<Problem> {
    super::text(text, TEXT_TOO_LONG)
}

/// Each known variable in `text` can have a value at `event` (SEP-2282, "Template variables"); any other `{word}` is text.
pub fn variables(event: &str, text: &str) -> Option<Problem> {
    // `text` reports a text that is too long.
    if text.len() > MAX_TEXT {
        return None;
    }
    scan(text).find_map(|variable| match variable.name {
        "tool_output" if event != "post_tool_use" => Some(NO_TOOL_OUTPUT),
        "tool_name" if !is_tool_event(event) => Some(NO_TOOL_NAME),
        "tool_input" if !is_tool_event(event) => Some(NO_TOOL_INPUT),
        _ => None,
    })
}

/// `event` can have a `matcher` (SEP-2282, "Hook declaration schema").
pub fn matcher(event: &str) -> Option<Problem> {
    (!is_tool_event(event)).then_some(MATCHER_WITHOUT_TOOL)
}

/// A `matcher` with `count` conditions has at least one.
pub fn matcher_not_empty(count: usize) -> Option<Problem> {
    (count == 0).then_some(MATCHER_EMPTY)
}
