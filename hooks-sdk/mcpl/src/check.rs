//! Compile-time checks of an author's values: each check panics with the words of the problem.
//!
//! The attributes call them in constants, so a broken rule is a compile error at the author's own literal.
//! [`problems`](super::problems()) applies the same rules to hooks made by hand.

use super::{Definition, Scoped, point::At, rule, sender::Sender};
use hooks_core::{OnFailure, Problem};

macro_rules! checks {
    ($($(#[$doc:meta])+ $rule:ident($($argument:ident: $type:ty),+);)+) => {$(
        $(#[$doc])+
        #[track_caller]
        pub const fn $rule($($argument: $type),+) {
            Problem::pass(rule::$rule($($argument),+));
        }
    )+};
}

checks! {
    /// A feature set's name is 1 to 128 of `[A-Za-z0-9_-]`, in parts separated by single dots (MCPL 0.4.1 §6.3).
    name(name: &str);
    /// A feature set's description is not empty (MCPL 0.4.1 §6.2).
    description(text: &str);
    /// A hook's id is 1 to 64 of `[a-z0-9_-]`.
    id(id: &str);
    /// Only `before_inference` takes `inject` (MCPL 0.4.1 §10.2).
    inject(at: At);
    /// Only `before_inference` takes `optional`.
    optional(at: At);
    /// Only `before_inference` takes `observe`.
    observe(at: At);
    /// A hook with positions to inject at returns something.
    inject_nothing(at: At, says: bool);
    /// An `after_inference` hook that returns something is `blocking` (MCPL 0.4.1 §10.5).
    change(at: At, blocking: bool, says: bool);
    /// Only `after_inference` takes `blocking` (MCPL 0.4.1 §10.5).
    blocking(at: At);
    /// A blocking hook is never disabled (MCPL 0.4.1 §13.3).
    blocking_failure(policy: OnFailure);
    /// A deadline is at least 1 ms, and shorter than the host's own (MCPL 0.4.1 §10.6).
    deadline(at: At, time: &str);
    /// A `scope` names an argument.
    scope(argument: &str);
}

/// The definition of a feature set names every sender that its type implements.
#[track_caller]
pub const fn declared(set: &Definition, sender: Sender) {
    Problem::pass(rule::declared(set.may_send(sender), sender));
}

/// The feature set of a tool with a `scope` is scoped (MCPL 0.4.1 §7.1).
pub const fn scoped<F: Scoped>() {}

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
        const { name("memory.recall") };
        const { description("Recalls.") };
        const {
            declared(
                &Definition::new("a", "A").sends(&[Sender::Push]),
                Sender::Push,
            )
        };
        const { id("recall") };
        const { inject(At::BeforeInference) };
        const { optional(At::BeforeInference) };
        const { observe(At::BeforeInference) };
        const { inject_nothing(At::BeforeInference, true) };
        const { change(At::AfterInference, true, true) };
        const { change(At::AfterInference, false, false) };
        const { change(At::BeforeInference, false, true) };
        const { blocking(At::AfterInference) };
        const { blocking_failure(OnFailure::Ignore) };
        const { deadline(At::BeforeInference, "4500ms") };
        const { scope("path") };
    }

    #[test]
    fn what_does_not_hold_says_so_and_what_mends_it() {
        let set = Definition::new("a", "A");
        for (words, expected) in [
            (complaint(|| name("a..b")), "this cannot be the name of"),
            (complaint(|| description(" \n")), "the description is empty"),
            (
                complaint(move || declared(&set, Sender::Incoming)),
                "its definition does not name `Sender::Incoming`",
            ),
            (complaint(|| id("A")), "this cannot be a hook's id"),
            (complaint(|| inject(At::Rollback)), "`inject` applies only"),
            (complaint(|| optional(At::Enabled)), "`optional` applies"),
            (complaint(|| observe(At::Lifecycle)), "`observe` applies"),
            (
                complaint(|| inject_nothing(At::BeforeInference, false)),
                "the hook answers nothing",
            ),
            (
                complaint(|| change(At::AfterInference, false, true)),
                "the hook changes what the model said",
            ),
            (
                complaint(|| blocking(At::BeforeInference)),
                "`blocking` applies only to `after_inference`",
            ),
            (
                complaint(|| blocking_failure(OnFailure::Disable)),
                "a `blocking` hook that is disabled",
            ),
            (
                complaint(|| deadline(At::AfterInference, "9501ms")),
                "the deadline of an `after_inference` hook",
            ),
            (complaint(|| scope("")), "the argument has no name"),
        ] {
            assert!(words.starts_with(expected), "{words}");
            assert_eq!(words.matches("\nhelp: ").count(), 1, "{words}");
        }
    }
}
