//! The rules about a guardian's hooks and steps.

use super::{Problem, broken};
pub use super::{deadline_ms, id, not_empty};
use crate::{
    AOS_CHANGES,
    condition::{Path, Step},
};

/// A hook that changes the step stands where it may.
pub fn change(at: &str) -> Option<Problem> {
    broken(
        AOS_CHANGES.contains(&(at, "Infallible")),
        "nothing can be changed at this point\nhelp: answer with `Verdict::Allow` or `Verdict::Deny(…)`",
    )
}

/// A path to an argument begins with `args`, and goes on.
pub fn argument(path: &Path) -> Option<Problem> {
    if path.root == "args" {
        return broken(
            path.steps.is_empty(),
            "the path leads to all arguments\nhelp: name one of them, as in `args.text`",
        );
    }
    Some(Problem::new(
        "the path does not lead to an argument of the tool\nhelp: begin it with `args`, as in `args.text`",
    ))
}

/// A path into a tool's result begins with `result.structuredContent`.
pub fn result(path: &Path) -> Option<Problem> {
    let first = path.steps.first();
    let is_inside = matches!(first, Some(Step::Member(member)) if member == "structuredContent");
    broken(
        path.root != "result" || !is_inside,
        "the path does not lead into the structured content of the tool's result, and a guardian's change reaches nothing else\n\
         help: leave the key out for each text of the result, or begin the path with `result.structuredContent`",
    )
}
