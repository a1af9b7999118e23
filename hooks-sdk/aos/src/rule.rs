//! The rules about an author's values.
//!
//! The attributes check them in constants, with [`Problem::pass`], so a broken rule is a compile error at the author's own
//! literal. [`problems`](super::problems()) applies the same rules to hooks made by hand.

pub use hooks_core::Problem;
pub use hooks_core::internal::rule::{deadline, id, not_empty};

const ARGUMENT: Problem = Problem::new(
    "the path does not lead to an argument of the tool\nhelp: begin it with `args`, as in `args.text`",
);
const RESULT: Problem = Problem::new(
    "the path does not lead into the structured content of the tool's result, and a guardian's change reaches nothing else\n\
     help: leave the key out for each text of the result, or begin the path with `result.structuredContent`",
);
const ALL_ARGUMENTS: Problem =
    Problem::new("the path leads to all arguments\nhelp: name one of them, as in `args.text`");

/// A path to an argument begins with `args`, and goes on.
pub const fn argument(root: &str, steps: usize) -> Option<Problem> {
    match (root.as_bytes(), steps) {
        (b"args", 0) => Some(ALL_ARGUMENTS),
        (b"args", _) => None,
        _ => Some(ARGUMENT),
    }
}

/// A path into a tool's result begins with `result.structuredContent`.
pub const fn result(root: &str, member: &str) -> Option<Problem> {
    match (root.as_bytes(), member.as_bytes()) {
        (b"result", b"structuredContent") => None,
        _ => Some(RESULT),
    }
}
