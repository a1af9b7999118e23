//! The rules about an author's values, usable in constants and at run time.

use crate::core::Problem;
pub(super) use crate::core::rule::{deadline, deadline_ms, id, not_empty};

const ARGUMENT: Problem = Problem::new(
    "the path does not lead to an argument of the tool\nhelp: begin it with `args`, as in `args.text`",
);
const RESULT: Problem = Problem::new(
    "the path does not lead into the tool's result\n\
     help: begin it with `result`, as in `result.structuredContent.rows[*].text`",
);
const ALL_ARGUMENTS: Problem =
    Problem::new("the path leads to all arguments\nhelp: name one of them, as in `args.text`");
const WHOLE_RESULT: Problem = Problem::new(
    "the path leads to the whole result\n\
     help: name a member of it, as in `result.structuredContent.rows[*].text`",
);

/// A path to an argument begins with `args`, and goes on.
pub(super) const fn argument(root: &str, steps: usize) -> Option<Problem> {
    match (root.as_bytes(), steps) {
        (b"args", 0) => Some(ALL_ARGUMENTS),
        (b"args", _) => None,
        _ => Some(ARGUMENT),
    }
}

/// A path into a tool's result begins with `result`, and goes on.
pub(super) const fn result(root: &str, steps: usize) -> Option<Problem> {
    match (root.as_bytes(), steps) {
        (b"result", 0) => Some(WHOLE_RESULT),
        (b"result", _) => None,
        _ => Some(RESULT),
    }
}
