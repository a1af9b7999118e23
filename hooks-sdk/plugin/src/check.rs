//! Compile-time checks of an author's values: each check panics with the words of the problem.
//!
//! The attributes call them in constants, so a broken rule is a compile error at the author's own literal.
//! [`problems`](super::problems()) applies the same rules to hooks made by hand.

use super::{Family, PluginAt, PluginMode, rule};
use hooks_core::Problem;

/// A hook's id is 1 to 64 of `[a-z0-9_-]`.
#[track_caller]
pub const fn id(id: &str) {
    Problem::pass(rule::id(id));
}

/// The kind of a plugin is 1 to 64 of `[a-z0-9_-]`.
#[track_caller]
pub const fn kind(word: &str) {
    Problem::pass(rule::kind(word));
}

/// A rule gives a reason.
#[track_caller]
pub const fn reason(text: &str) {
    Problem::pass(rule::reason(text));
}

/// A value says something.
#[track_caller]
pub const fn not_empty(text: &str) {
    Problem::pass(rule::not_empty(text));
}

/// A glob is well-formed.
#[track_caller]
pub const fn glob(pattern: &str) {
    Problem::pass(rule::glob(pattern));
}

/// Only points and lists of tools take `tool`.
#[track_caller]
pub const fn tool(family: Family) {
    Problem::pass(rule::tool(family));
}

/// Only points and lists of prompts take `prompt`.
#[track_caller]
pub const fn prompt(family: Family) {
    Problem::pass(rule::prompt(family));
}

/// Only points and lists of resources take `resource`.
#[track_caller]
pub const fn resource(family: Family) {
    Problem::pass(rule::resource(family));
}

/// A path begins with something that the point has.
#[track_caller]
pub const fn root(at: PluginAt, root: &str) {
    Problem::pass(rule::root(at, root));
}

/// A folder in a condition has no `..`.
#[track_caller]
pub const fn folder(folder: &str) {
    Problem::pass(rule::folder(folder));
}

/// A deadline is between 1 ms and 10 minutes.
#[track_caller]
pub const fn deadline(time: &str) {
    Problem::pass(rule::deadline(time));
}

/// The payload of the point has the field.
#[track_caller]
pub const fn writable(at: PluginAt, field: &str) {
    Problem::pass(rule::writable(at, field));
}

/// A mode in which failures are ignored takes no `on_failure`.
#[track_caller]
pub const fn failure_in(mode: PluginMode) {
    Problem::pass(rule::failure_in(mode));
}

/// A hook that nobody waits for does not ask.
#[track_caller]
pub const fn asks(mode: PluginMode, asks: bool) {
    Problem::pass(rule::asks(mode, asks));
}

/// A concurrent hook does not change the payload.
#[track_caller]
pub const fn modifies(mode: PluginMode, modifies: bool, asks: bool) {
    Problem::pass(rule::modifies(mode, modifies, asks));
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
        const { id("no_logs") };
        const { kind("rate_limit") };
        const { reason("logs are never deleted") };
        const { not_empty("LOGS") };
        const { glob("delete_*") };
        const { tool(Family::Tool) };
        const { prompt(Family::Prompt) };
        const { resource(Family::Resource) };
        const { root(PluginAt::ToolPreInvoke, "args") };
        const { folder("/srv/data") };
        const { deadline("500ms") };
        const { writable(PluginAt::ToolPreInvoke, "headers") };
        const { failure_in(PluginMode::Concurrent) };
        const { asks(PluginMode::Enforce, true) };
        const { asks(PluginMode::Audit, false) };
        const { modifies(PluginMode::Concurrent, false, false) };
        const { modifies(PluginMode::Audit, true, false) };
    }

    #[test]
    fn what_does_not_hold_says_so_and_what_mends_it() {
        let mut complaints = vec![
            (complaint(|| id("A")), "this cannot be a hook's id"),
            (
                complaint(|| kind("")),
                "this cannot be the kind of a plugin",
            ),
            (complaint(|| reason(" ")), "the reason is empty"),
            (complaint(|| not_empty("")), "the value is empty"),
            (complaint(|| glob("[")), "the pattern has a `[`"),
            (
                complaint(|| root(PluginAt::ToolPreInvoke, "result")),
                "`result` exists only after",
            ),
            (complaint(|| folder("/srv/..")), "the folder has `..`"),
            (complaint(|| deadline("0s")), "the deadline is not"),
            (
                complaint(|| modifies(PluginMode::Concurrent, true, false)),
                "a `concurrent` hook cannot change",
            ),
        ];
        for mode in [
            PluginMode::Permissive,
            PluginMode::Audit,
            PluginMode::FireAndForget,
        ] {
            complaints.push((complaint(move || failure_in(mode)), ""));
        }
        for mode in [
            PluginMode::Concurrent,
            PluginMode::Audit,
            PluginMode::FireAndForget,
        ] {
            complaints.push((complaint(move || asks(mode, true)), ""));
        }
        for family in [Family::Prompt, Family::Resource, Family::Http] {
            complaints.push((complaint(move || tool(family)), "`tool` names tools"));
        }
        for family in [Family::Tool, Family::Resource, Family::Http] {
            complaints.push((complaint(move || prompt(family)), "`prompt` names prompts"));
        }
        for family in [Family::Tool, Family::Prompt, Family::Http] {
            let words = complaint(move || resource(family));
            complaints.push((words, "`resource` names resources"));
        }
        for at in PluginAt::ALL {
            complaints.push((complaint(move || writable(*at, "body")), ""));
        }
        for (words, expected) in complaints {
            assert!(words.starts_with(expected), "{words}");
            assert_eq!(words.matches("\nhelp: ").count(), 1, "{words}");
        }
    }
}
