//! The rules for a definition's values, each usable in a constant and at run time.
//!
//! The attribute passes each problem to [`Problem::pass`] in a constant, so that the compile error underlines the author's
//! own literal.

pub use hooks_text::Rule;

use super::{HookType, Lifecycle, McpFeature, RequirementLevel};
pub use crate::{
    Problem,
    glob::problem as glob,
    rule::{deadline, not_empty},
};
use crate::{
    rule as shared,
    text::{is_one_of, same},
};

const TAG_EMPTY: Problem =
    Problem::new("the tag is empty\nhelp: write it in kebab-case, as in `init-required`");
const TAG: Problem = Problem::new(
    "a tag is kebab-case: `a` to `z`, `0` to `9` and `-`\n\
     help: write it in kebab-case, as in `init-required`",
);
const NAME: Problem =
    Problem::new("the name is empty\nhelp: write a name for people, as in `name = \"Welcome\"`");
const APP: Problem = Problem::new("the app is empty\nhelp: leave it out to take the server's");
const NO_TOOL: Problem = Problem::new(
    "`tool` applies only to `action` hooks\nhelp: remove it, or make the type `action`",
);
const TEXT_TOO_LONG: Problem =
    Problem::new("the text is longer than 32768 bytes\nhelp: shorten it, or make two hooks of it");
const SKILL_NAME: Problem = Problem::new(
    "the hook's id cannot be a skill's name: that is 1 to 64 of `a` to `z` and `0` to `9`, with single `-` between them\n\
     help: write another `id`",
);
const SKILL_DESCRIPTION: Problem = Problem::new(
    "a skill needs a description\nhelp: add `description = \"…\"`: what it is for, and when to use it",
);
const SKILL_DESCRIPTION_TOO_LONG: Problem =
    Problem::new("the description of a skill has more than 1024 characters\nhelp: shorten it");
pub(super) const SKILL_WITHOUT_TEXT: Problem =
    Problem::new("it has no fixed text\nhelp: give it a text, or remove `.skill()`");

/// The tag of a hook can be the name of a skill.
pub const fn skill_name(tag: &str) -> Option<Problem> {
    if hooks_text::is_skill_name(tag) {
        None
    } else {
        Some(SKILL_NAME)
    }
}

/// A skill has a description of at most 1,024 characters.
pub const fn skill_description(description: &str) -> Option<Problem> {
    if description.trim_ascii().is_empty() {
        Some(SKILL_DESCRIPTION)
    } else if hooks_text::characters(description) > hooks_text::MAX_SKILL_DESCRIPTION {
        Some(SKILL_DESCRIPTION_TOO_LONG)
    } else {
        None
    }
}

/// A text is not empty, and at most 32 KiB long.
pub const fn text(text: &str) -> Option<Problem> {
    shared::text(text, TEXT_TOO_LONG)
}

/// A tag is kebab-case: one or more of `a` to `z`, `0` to `9` and `-` (Hooks System document, "Hook Definition Schema").
pub const fn tag(tag: &str) -> Option<Problem> {
    let bytes = tag.as_bytes();
    if bytes.is_empty() {
        return Some(TAG_EMPTY);
    }
    let mut at = 0;
    while at < bytes.len() {
        if !matches!(bytes[at], b'a'..=b'z' | b'0'..=b'9' | b'-') {
            return Some(TAG);
        }
        at += 1;
    }
    None
}

/// A name says something.
pub const fn name(name: &str) -> Option<Problem> {
    if name.is_empty() { Some(NAME) } else { None }
}

/// An app says something: an empty one would make ids that begin with a colon.
pub const fn app(app: &str) -> Option<Problem> {
    if app.is_empty() { Some(APP) } else { None }
}

/// Only an action hook is about a tool.
pub const fn about_tools(hook_type: HookType) -> Option<Problem> {
    match hook_type {
        HookType::Action => None,
        _ => Some(NO_TOOL),
    }
}

/// Checks that the tool of a hook is a well-formed glob, and the hook an action hook.
pub(super) fn tool(hook_type: HookType, pattern: &str) -> Option<Problem> {
    about_tools(hook_type).or_else(|| glob(pattern))
}

/// A word of the vocabulary. The caller has a message that names the file.
const UNKNOWN: Problem = Problem::new("the word is unknown\nhelp: write a known one");

/// A value in the front matter of a file keeps the rule of its key.
pub const fn of_file(rule: Rule, value: &str) -> Option<Problem> {
    match rule {
        Rule::Type => one_of(HookType::WORDS, value),
        Rule::Lifecycle => one_of(Lifecycle::WORDS, value),
        Rule::Requirement => one_of(RequirementLevel::WORDS, value),
        Rule::Feature => one_of(McpFeature::WORDS, value),
        Rule::Tag => tag(value),
        Rule::Name => name(value),
        Rule::App => app(value),
        Rule::Glob => glob(value),
        // An unknown type has a problem of its own.
        Rule::AboutTools if same(value, "action") || one_of(HookType::WORDS, value).is_some() => {
            None
        }
        Rule::AboutTools => Some(NO_TOOL),
        _ => None,
    }
}

/// As [`of_file`], with the whole message, which names the file and its line.
pub const fn at_place(rule: Rule, value: &str, message: &'static str) -> Option<Problem> {
    if of_file(rule, value).is_some() {
        Some(Problem::new(message))
    } else {
        None
    }
}

const fn one_of(words: &[&str], word: &str) -> Option<Problem> {
    if is_one_of(words, word) {
        return None;
    }
    Some(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    fn complaint(problem: Option<Problem>) -> String {
        let panic = catch_unwind(|| Problem::pass(problem)).expect_err("the value passed");
        let words = panic.downcast::<String>().map(|words| *words);
        words.unwrap_or_else(|panic| (*panic.downcast::<&str>().expect("a message")).to_owned())
    }

    #[test]
    fn words_of_a_file_fail_with_its_place() {
        const { Problem::pass(at_place(Rule::Type, "session", "")) };
        const { Problem::pass(at_place(Rule::Lifecycle, "start", "")) };
        const { Problem::pass(at_place(Rule::Requirement, "MUST NOT", "")) };
        const { Problem::pass(at_place(Rule::Feature, "sampling", "")) };
        const { Problem::pass(at_place(Rule::Tag, "a-b", "")) };
        const { Problem::pass(at_place(Rule::Name, "a", "")) };
        const { Problem::pass(at_place(Rule::App, "a", "")) };
        const { Problem::pass(at_place(Rule::Glob, "a*", "")) };
        const { Problem::pass(at_place(Rule::AboutTools, "action", "")) };
        const { Problem::pass(at_place(Rule::AboutTools, "sesion", "")) };
        let place = "welcome.md:4: wrong";
        for (rule, value) in [
            (Rule::Type, "Session"),
            (Rule::Lifecycle, ""),
            (Rule::Requirement, "must"),
            (Rule::Feature, "roots"),
            (Rule::Tag, "a_b"),
            (Rule::Name, ""),
            (Rule::App, ""),
            (Rule::Glob, "["),
            (Rule::AboutTools, "session"),
        ] {
            assert_eq!(complaint(at_place(rule, value, place)), place);
        }
    }

    #[test]
    fn tags() {
        for good in ["a", "-", "--", "a-", "123", "init-required"] {
            assert_eq!(tag(good), None, "{good}");
        }
        for bad in ["", "A", "a_b", "a b", "a\n", "\na", "é", "a.b", "..", "a:b"] {
            assert!(tag(bad).is_some(), "{bad:?}");
        }
    }

    #[test]
    fn names_and_apps_say_something() {
        assert!(name("").is_some() && app("").is_some());
        assert!(name(" ").is_none() && app("a:b").is_none());
    }
}
