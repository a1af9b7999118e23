//! Compile-time checks of an author's values: each check panics with the words of the problem.
//!
//! The attributes call them in constants, so a broken rule is a compile error at the author's own literal.
//! [`problems`](super::problems()) applies the same rules to hooks made by hand.

use super::rule;
use hooks_core::Problem;

/// A hook's id is 1 to 64 of `[a-z0-9_-]`.
#[track_caller]
pub const fn id(id: &str) {
    Problem::pass(rule::id(id));
}

/// A deadline is between 1 ms and 10 minutes.
#[track_caller]
pub const fn deadline(time: &str) {
    Problem::pass(rule::deadline(time));
}

/// A value says something.
#[track_caller]
pub const fn not_empty(text: &str) {
    Problem::pass(rule::not_empty(text));
}

/// A path to an argument begins with `args`, and goes on.
#[track_caller]
pub const fn argument(root: &str, steps: usize) {
    Problem::pass(rule::argument(root, steps));
}

/// A path into a tool's result begins with `result.structuredContent`.
#[track_caller]
pub const fn result(root: &str, member: &str) {
    Problem::pass(rule::result(root, member));
}

#[cfg(test)]
mod tests {
    use std::panic::{UnwindSafe, catch_unwind};

    use super::*;

    fn complaint(check: impl FnOnce() + UnwindSafe) -> String {
        let panic = catch_unwind(check).expect_err("the check passed");
        *panic.downcast::<String>().expect("a message")
    }

    #[test]
    fn what_holds_passes() {
        const { id("no_shell") };
        const { deadline("500ms") };
        const { not_empty("pci") };
        const { argument("args", 1) };
        const { result("result", "structuredContent") };
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
