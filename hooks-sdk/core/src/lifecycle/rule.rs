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

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    fn complaint(problem: Option<Problem>) -> String {
        let panic = catch_unwind(|| Problem::pass(problem)).expect_err("the value passed");
        *panic.downcast::<String>().expect("a message")
    }

    #[test]
    fn a_text_says_something_within_the_limit() {
        const { Problem::pass(text("a")) };
        Problem::pass(text(&"a".repeat(MAX_TEXT)));
        assert!(complaint(text(" \n")).starts_with("the text is empty\nhelp: "));
        let long = "a".repeat(MAX_TEXT + 1);
        let words = complaint(text(&long));
        assert!(words.starts_with(&format!("the text is longer than {MAX_TEXT} bytes\nhelp: ")));
    }

    #[test]
    fn variables_belong_to_their_events() {
        const {
            Problem::pass(variables(
                Event::PostToolUse,
                "{tool_name} {tool_input} {tool_output}",
            ))
        };
        const {
            Problem::pass(variables(
                Event::PreToolUse,
                "{tool_name} {tool_input} {project_name}",
            ))
        };
        const {
            Problem::pass(variables(
                Event::SessionStart,
                "{session_id} {project_name} {tool_outputs} {x}",
            ))
        };
        let words = complaint(variables(Event::PreToolUse, "{x} {tool_output}"));
        assert!(words.starts_with("`{tool_output}` is only known in `post_tool_use` hooks\n"));
        for name in ["tool_name", "tool_input"] {
            let words = complaint(variables(Event::PreRequest, &format!("{{{name}}}")));
            let expected =
                format!("`{{{name}}}` is only known in `pre_tool_use` and `post_tool_use` hooks\n");
            assert!(words.starts_with(&expected), "{words}");
        }
    }

    #[test]
    fn a_matcher_needs_a_tool_and_a_condition() {
        for event in Event::ALL {
            assert_eq!(matcher(event).is_none(), event.is_tool_event());
        }
        assert!(complaint(matcher(Event::SessionEnd)).starts_with("`matcher` applies only to "));
        const { Problem::pass(matcher_not_empty(1)) };
        assert!(complaint(matcher_not_empty(0)).starts_with("`matcher` has no condition\n"));
        const { Problem::pass(glob("mcp__annal__*")) };
        assert!(complaint(glob("[a")).starts_with("the pattern has a `[` without its `]`\n"));
    }

    #[test]
    fn values_ids_and_deadlines() {
        const { Problem::pass(not_empty("x")) };
        assert!(complaint(not_empty("")).starts_with("the value is empty\n"));
        const { Problem::pass(id("after-commit_2")) };
        assert!(complaint(id("After")).starts_with("this cannot be a hook's id\n"));
        const { Problem::pass(deadline("1ms")) };
        const { Problem::pass(deadline("10min")) };
        for time in ["0s", "600001ms"] {
            assert!(complaint(deadline(time)).starts_with("the deadline is not between"));
        }
        assert!(complaint(deadline("500")).starts_with("this is not a time\n"));
    }
}
