//! The rules about a guidance hook's definition.

use super::{Problem, broken};
use crate::{MAX_SKILL_DESCRIPTION, glob, is_skill_name};

/// The tag of a hook can be the name of a skill.
pub fn skill_name(tag: &str) -> Option<Problem> {
    broken(
        !is_skill_name(tag),
        "the hook's id cannot be a skill's name: that is 1 to 64 of `a` to `z` and `0` to `9`, with single `-` between them\n\
         help: write another `id`",
    )
}

/// A skill has a description of at most 1,024 characters.
pub fn skill_description(description: &str) -> Option<Problem> {
    let empty = broken(
        description.trim_ascii().is_empty(),
        "a skill needs a description\nhelp: add `description = \"…\"`: what it is for, and when to use it",
    );
    let is_long = description.chars().count() > MAX_SKILL_DESCRIPTION;
    empty.or(broken(
        is_long,
        "the description of a skill has more than 1024 characters\nhelp: shorten it",
    ))
}

/// A text is not empty, and at most 32 KiB long.
pub fn text(text: &str) -> Option<Problem> {
    let too_long = Problem::new(
        "the text is longer than 32768 bytes\nhelp: shorten it, or make two hooks of it",
    );
    super::text(text, too_long)
}

/// A tag is kebab-case: one or more of `a` to `z`, `0` to `9` and `-` (Hooks System document, "Hook Definition Schema").
pub fn tag(tag: &str) -> Option<Problem> {
    let fits = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    let empty = broken(
        tag.is_empty(),
        "the tag is empty\nhelp: write it in kebab-case, as in `init-required`",
    );
    empty.or(broken(
        !tag.bytes().all(fits),
        "a tag is kebab-case: `a` to `z`, `0` to `9` and `-`\n\
         help: write it in kebab-case, as in `init-required`",
    ))
}

/// A name says something.
pub fn name(name: &str) -> Option<Problem> {
    broken(
        name.is_empty(),
        "the name is empty\nhelp: write a name for people, as in `name = \"Welcome\"`",
    )
}

/// An app says something: an empty one would make ids that begin with a colon.
pub fn app(app: &str) -> Option<Problem> {
    broken(
        app.is_empty(),
        "the app is empty\nhelp: leave it out to take the server's",
    )
}

/// Only an action hook is about a tool.
pub fn about_tools(hook_type: &str) -> Option<Problem> {
    broken(
        hook_type != "action",
        "`tool` applies only to `action` hooks\nhelp: remove it, or make the type `action`",
    )
}

/// The tool of a hook is a well-formed glob, and the hook an action hook.
pub fn tool(hook_type: &str, pattern: &str) -> Option<Problem> {
    about_tools(hook_type).or_else(|| glob::problem(pattern))
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
