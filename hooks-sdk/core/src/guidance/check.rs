//! The rules for an author's values as compile-time checks. Each check panics with the problem's message.
//!
//! The attribute calls these checks in constants, so that the compile error underlines the author's own literal.
//! For a folder of markdown, only `dir!` knows the file and line: those checks take the finished message as
//! `message`.

use super::{HookType, Lifecycle, McpFeature, RequirementLevel, rule};
use crate::{Problem, text::same};

/// Checks that the text of a hook is not empty, and at most 32 KiB long.
#[track_caller]
pub const fn text(text: &str) {
    Problem::pass(rule::text(text));
}

/// Checks that a tag is kebab-case (Hooks System document, "Hook Definition Schema").
#[track_caller]
pub const fn tag(tag: &str) {
    Problem::pass(rule::tag(tag));
}

/// Checks that a name is not empty.
#[track_caller]
pub const fn name(name: &str) {
    Problem::pass(rule::name(name));
}

/// Checks that an app is not empty.
#[track_caller]
pub const fn app(app: &str) {
    Problem::pass(rule::app(app));
}

/// Checks that a `tool` is a well-formed glob.
#[track_caller]
pub const fn glob(pattern: &str) {
    Problem::pass(rule::glob(pattern));
}

/// Checks that a hook with a tool is an action hook.
#[track_caller]
pub const fn tool(hook_type: HookType) {
    Problem::pass(rule::about_tools(hook_type));
}

/// Checks that a storage backend, a tag or a dependency is not empty.
#[track_caller]
pub const fn not_empty(value: &str) {
    Problem::pass(rule::not_empty(value));
}

/// Checks that the tag of a hook can be the name of a skill.
#[track_caller]
pub const fn skill_name(tag: &str) {
    Problem::pass(rule::skill_name(tag));
}

/// Checks that a skill has a description of at most 1,024 characters.
#[track_caller]
pub const fn skill_description(description: &str) {
    Problem::pass(rule::skill_description(description));
}

/// Checks that a deadline is between 1 ms and 10 minutes.
#[track_caller]
pub const fn deadline(time: &str) {
    Problem::pass(rule::deadline(time));
}

macro_rules! words_of_a_file {
    ($($(#[$doc:meta])+ $name:ident: $vocabulary:ident;)+) => {$(
        $(#[$doc])+
        #[track_caller]
        pub const fn $name(word: &str, message: &str) {
            if !is_one_of($vocabulary::WORDS, word) {
                panic!("{}", message);
            }
        }
    )+};
}

words_of_a_file! {
    /// Checks that the `type` of a file is one of the document's words.
    type_of_file: HookType;
    /// Checks that the `lifecycle` of a file is one of the document's words.
    lifecycle_of_file: Lifecycle;
    /// Checks that the `requirement` of a file is one of the document's words.
    requirement_of_file: RequirementLevel;
    /// Checks that each of the `features` of a file is one of the document's words.
    feature_of_file: McpFeature;
}

/// Checks that the `tag` of a file is kebab-case.
#[track_caller]
pub const fn tag_of_file(tag: &str, message: &str) {
    if rule::tag(tag).is_some() {
        panic!("{}", message);
    }
}

/// Checks that the `name` or `app` of a file is not empty.
#[track_caller]
pub const fn text_of_file(text: &str, message: &str) {
    if rule::name(text).is_some() {
        panic!("{}", message);
    }
}

/// Checks that the `tool` of a file is a well-formed glob.
#[track_caller]
pub const fn glob_of_file(pattern: &str, message: &str) {
    if rule::glob(pattern).is_some() {
        panic!("{}", message);
    }
}

/// Checks that the `type` of a file with a `tool` is `action`. An unknown type has an error of its own.
#[track_caller]
pub const fn tool_of_file(hook_type: &str, message: &str) {
    if is_one_of(HookType::WORDS, hook_type) && !same(hook_type, "action") {
        panic!("{}", message);
    }
}

const fn is_one_of(words: &[&str], word: &str) -> bool {
    let mut at = 0;
    while at < words.len() {
        if same(words[at], word) {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use std::panic::{UnwindSafe, catch_unwind};

    use super::*;

    fn complaint(check: impl FnOnce() + UnwindSafe) -> String {
        let panic = catch_unwind(check).expect_err("the check passed");
        let words = panic.downcast::<String>().map(|words| *words);
        words.unwrap_or_else(|panic| (*panic.downcast::<&str>().expect("a message")).to_owned())
    }

    #[test]
    fn values_of_an_attribute() {
        const { text("a") };
        const { tag("init-required") };
        const { name("Welcome") };
        const { app("my server") };
        const { glob("store_*") };
        const { tool(HookType::Action) };
        const { not_empty("sqlite") };
        const { deadline("1ms") };
        for (words, expected) in [
            (complaint(|| text(" ")), "the text is empty\nhelp: "),
            (
                complaint(|| text(&"a".repeat(32_769))),
                "the text is longer",
            ),
            (complaint(|| tag("A")), "a tag is kebab-case: "),
            (complaint(|| name("")), "the name is empty\nhelp: "),
            (complaint(|| app("")), "the app is empty\nhelp: "),
            (complaint(|| glob("[a")), "the pattern has a `[` without"),
            (
                complaint(|| tool(HookType::Config)),
                "`tool` applies only to",
            ),
            (complaint(|| not_empty("")), "the value is empty\nhelp: "),
            (complaint(|| deadline("0ms")), "the deadline is not between"),
        ] {
            assert!(words.starts_with(expected), "{words}");
        }
    }

    #[test]
    fn words_of_a_file_fail_with_its_place() {
        const { type_of_file("session", "") };
        const { lifecycle_of_file("start", "") };
        const { requirement_of_file("MUST NOT", "") };
        const { feature_of_file("sampling", "") };
        const { tag_of_file("a-b", "") };
        const { text_of_file("a", "") };
        const { glob_of_file("a*", "") };
        const { tool_of_file("action", "") };
        const { tool_of_file("sesion", "") };
        let place = "welcome.md:4: wrong";
        for words in [
            complaint(|| type_of_file("Session", place)),
            complaint(|| lifecycle_of_file("", place)),
            complaint(|| requirement_of_file("must", place)),
            complaint(|| feature_of_file("roots", place)),
            complaint(|| tag_of_file("a_b", place)),
            complaint(|| text_of_file("", place)),
            complaint(|| glob_of_file("[", place)),
            complaint(|| tool_of_file("session", place)),
        ] {
            assert_eq!(words, place);
        }
    }
}
