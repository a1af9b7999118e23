//! The rules about an author's values, usable in constants and at run time.

use crate::core::Problem;
pub(super) use crate::core::rule::{deadline, deadline_ms, id, not_empty};

const ARGUMENT: Problem = Problem::new(
    "this is about an argument of the tool, and the path begins with another word\n\
     help: write `args` and the argument's name, as in `args.text`",
);
const RESULT: Problem = Problem::new(
    "this is about the tool's result, and the path begins with another word\n\
     help: write `result` and a member, as in `result.structuredContent.rows[*].text`",
);
const ALL_ARGUMENTS: Problem =
    Problem::new("this names all arguments at once\nhelp: name one of them, as in `args.text`");
const WHOLE_RESULT: Problem = Problem::new(
    "this names the whole result\n\
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
