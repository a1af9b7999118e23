//! The rules for a definition's values, each usable in a constant and at run time.

use super::HookType;
use crate::{Problem, rule as shared};
pub(super) use crate::{
    glob::problem as glob,
    rule::{deadline, not_empty},
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

/// Checks that a hook's tag can be the name of a skill.
pub(super) const fn skill_name(tag: &str) -> Option<Problem> {
    if hooks_text::is_skill_name(tag) {
        None
    } else {
        Some(SKILL_NAME)
    }
}

/// Checks that a skill has a description of at most 1,024 characters.
pub(super) const fn skill_description(description: &str) -> Option<Problem> {
    if description.trim_ascii().is_empty() {
        Some(SKILL_DESCRIPTION)
    } else if hooks_text::characters(description) > hooks_text::MAX_SKILL_DESCRIPTION {
        Some(SKILL_DESCRIPTION_TOO_LONG)
    } else {
        None
    }
}

/// Checks that a text is not empty, and at most 32 KiB long.
pub(super) const fn text(text: &str) -> Option<Problem> {
    shared::text(text, TEXT_TOO_LONG)
}

/// Checks that a tag is one or more of `a` to `z`, `0` to `9` and `-`.
pub(super) const fn tag(tag: &str) -> Option<Problem> {
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
pub(super) const fn name(name: &str) -> Option<Problem> {
    if name.is_empty() { Some(NAME) } else { None }
}

/// An app says something: an empty one would make ids that begin with a colon.
pub(super) const fn app(app: &str) -> Option<Problem> {
    if app.is_empty() { Some(APP) } else { None }
}

/// Only an action hook is about a tool.
pub(super) const fn about_tools(hook_type: HookType) -> Option<Problem> {
    match hook_type {
        HookType::Action => None,
        _ => Some(NO_TOOL),
    }
}

/// Checks that the tool of a hook is a well-formed glob, and the hook an action hook.
pub(super) fn tool(hook_type: HookType, pattern: &str) -> Option<Problem> {
    about_tools(hook_type).or_else(|| glob(pattern))
}

#[cfg(test)]
mod tests {
    use super::*;

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
