//! The rules about an author's values.
//!
//! The attributes check them in constants, with [`Problem::pass`], so a broken rule is a compile error at the author's own
//! literal. [`problems`](super::problems()) applies the same rules to hooks made by hand.

pub use hooks_core::Problem;
pub(super) use hooks_core::internal::rule::deadline_ms;
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

#[cfg(test)]
mod tests {
    use std::panic::{UnwindSafe, catch_unwind};

    use super::*;

    fn complaint(rule: impl FnOnce() -> Option<Problem> + UnwindSafe) -> String {
        let check = move || Problem::pass(rule());
        let panic = catch_unwind(check).expect_err("the check passed");
        *panic.downcast::<String>().expect("a message")
    }

    #[test]
    fn what_holds_passes() {
        const { Problem::pass(id("no_shell")) };
        const { Problem::pass(deadline("500ms")) };
        const { Problem::pass(not_empty("pci")) };
        const { Problem::pass(argument("args", 1)) };
        const { Problem::pass(result("result", "structuredContent")) };
    }

    #[test]
    fn what_does_not_hold_says_so_and_what_mends_it() {
        for (words, expected) in [
            (complaint(|| id("A")), "this cannot be a hook's id"),
            (complaint(|| deadline("0s")), "the deadline is not"),
            (complaint(|| not_empty("")), "the value is empty"),
            (
                complaint(|| argument("result", 1)),
                "the path does not lead to an argument",
            ),
            (
                complaint(|| argument("args", 0)),
                "the path leads to all arguments",
            ),
            (
                complaint(|| result("args", "structuredContent")),
                "the path does not lead into the structured content",
            ),
            (
                complaint(|| result("result", "content")),
                "the path does not lead into the structured content",
            ),
        ] {
            assert!(words.starts_with(expected), "{words}");
            assert_eq!(words.matches("\nhelp: ").count(), 1, "{words}");
        }
    }
}
