//! Compile-time checks of an author's values: each check panics with the words of the problem.
//!
//! The attributes call them in constants, so a broken rule is a compile error at the author's own literal.
//! [`problems`](super::problems()) applies the same rules to hooks made by hand.

use super::{Definition, Scoped, point::At, rule, sender::Sender};
use hooks_core::Problem;

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
