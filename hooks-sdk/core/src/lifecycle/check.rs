//! The rules for an author's values as compile-time checks. Each check panics with the problem's message.
//!
//! The attribute calls these checks in constants, so that the compile error underlines the author's own literal.
//! [`problems`](super::problems()) applies the same rules to hooks that were built by hand.

use super::{Event, Problem, rule};

/// Checks that a `context` is not empty, and at most 32 KiB long.
#[track_caller]
pub const fn text(text: &str) {
    Problem::pass(rule::text(text));
}

/// Checks that each template variable in `text` can have a value at `event` (SEP-2282, "Template variables").
#[track_caller]
pub const fn variables(event: Event, text: &str) {
    Problem::pass(rule::variables(event, text));
}

/// Checks that `event` can have a `matcher` (SEP-2282, "Hook declaration schema").
#[track_caller]
pub const fn matcher(event: Event) {
    Problem::pass(rule::matcher(event));
}

/// Checks that a `matcher` with `count` conditions has at least one.
#[track_caller]
pub const fn matcher_not_empty(count: usize) {
    Problem::pass(rule::matcher_not_empty(count));
}

/// Checks that a `tool_name` is a well-formed glob.
#[track_caller]
pub const fn glob(pattern: &str) {
    Problem::pass(rule::glob(pattern));
}

/// Checks that an `input_contains`, a `tool_server` or a `context_tool` is not empty.
#[track_caller]
pub const fn not_empty(value: &str) {
    Problem::pass(rule::not_empty(value));
}

/// Checks that a hook's id is 1 to 64 of `[a-z0-9_-]`.
#[track_caller]
pub const fn id(id: &str) {
    Problem::pass(rule::id(id));
}

/// Checks that a deadline is between 1 ms and 10 minutes.
#[track_caller]
pub const fn deadline(time: &str) {
    Problem::pass(rule::deadline(time));
}

#[cfg(test)]
mod tests {
    use std::panic::{UnwindSafe, catch_unwind};

    use super::*;
    use crate::text::MAX_TEXT;

    fn complaint(check: impl FnOnce() + UnwindSafe) -> String {
        let panic = catch_unwind(check).expect_err("the check passed");
        *panic.downcast::<String>().expect("a message")
    }

    #[test]
    fn a_text_says_something_within_the_limit() {
        const { text("a") };
        text(&"a".repeat(MAX_TEXT));
        assert!(complaint(|| text(" \n")).starts_with("the text is empty\nhelp: "));
        let long = "a".repeat(MAX_TEXT + 1);
        let words = complaint(move || text(&long));
        assert!(words.starts_with(&format!("the text is longer than {MAX_TEXT} bytes\nhelp: ")));
    }

    #[test]
    fn variables_belong_to_their_events() {
        const { variables(Event::PostToolUse, "{tool_name} {tool_input} {tool_output}") };
        const { variables(Event::PreToolUse, "{tool_name} {tool_input} {project_name}") };
        const {
            variables(
                Event::SessionStart,
                "{session_id} {project_name} {tool_outputs} {x}",
            )
        };
        let words = complaint(|| variables(Event::PreToolUse, "{x} {tool_output}"));
        assert!(words.starts_with("`{tool_output}` is only known in `post_tool_use` hooks\n"));
        for name in ["tool_name", "tool_input"] {
            let words = complaint(|| variables(Event::PreRequest, &format!("{{{name}}}")));
            let expected =
                format!("`{{{name}}}` is only known in `pre_tool_use` and `post_tool_use` hooks\n");
            assert!(words.starts_with(&expected), "{words}");
        }
    }

    #[test]
    fn a_matcher_needs_a_tool_and_a_condition() {
        for event in Event::ALL {
            assert_eq!(rule::matcher(event).is_none(), event.is_tool_event());
        }
        assert!(complaint(|| matcher(Event::SessionEnd)).starts_with("`matcher` applies only to "));
        const { matcher_not_empty(1) };
        assert!(complaint(|| matcher_not_empty(0)).starts_with("`matcher` has no condition\n"));
        const { glob("mcp__annal__*") };
        assert!(complaint(|| glob("[a")).starts_with("the pattern has a `[` without its `]`\n"));
    }

    #[test]
    fn values_ids_and_deadlines() {
        const { not_empty("x") };
        assert!(complaint(|| not_empty("")).starts_with("the value is empty\n"));
        const { id("after-commit_2") };
        assert!(complaint(|| id("After")).starts_with("this cannot be a hook's id\n"));
        const { deadline("1ms") };
        const { deadline("10min") };
        for time in ["0s", "600001ms"] {
            assert!(complaint(move || deadline(time)).starts_with("the deadline is not between"));
        }
        assert!(complaint(|| deadline("500")).starts_with("this is not a time\n"));
    }
}
