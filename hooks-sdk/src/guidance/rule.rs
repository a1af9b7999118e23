//! The rules about a definition's values.

use super::HookType;
use crate::core::glob;

/// What is wrong with a tag, if anything: it is one or more of `a` to `z`, `0` to `9` and `-`.
pub(super) const fn tag(tag: &str) -> Option<&'static str> {
    let bytes = tag.as_bytes();
    if bytes.is_empty() {
        return Some("the tag is empty");
    }
    let mut at = 0;
    while at < bytes.len() {
        if !matches!(bytes[at], b'a'..=b'z' | b'0'..=b'9' | b'-') {
            return Some("a tag is kebab-case: `a` to `z`, `0` to `9` and `-`");
        }
        at += 1;
    }
    None
}

/// What is wrong with a name, if anything.
pub(super) const fn name(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("the name is empty")
    } else {
        None
    }
}

/// What is wrong with an app, if anything; an empty one would make ids that begin with a colon.
pub(super) const fn app(app: &str) -> Option<&'static str> {
    if app.is_empty() {
        Some("the app is empty")
    } else {
        None
    }
}

/// What is wrong with the tool of a hook, if anything.
pub(super) fn tool(hook_type: HookType, pattern: &str) -> Option<&'static str> {
    about_tools(hook_type).or_else(|| glob(pattern))
}

/// Why a hook of this type has no tool, if it has none.
pub(super) fn about_tools(hook_type: HookType) -> Option<&'static str> {
    (hook_type != HookType::Action).then_some("only an `action` hook is about a tool")
}

/// What is wrong with a pattern, if anything.
pub(super) fn glob(pattern: &str) -> Option<&'static str> {
    let words = glob::problem(pattern)?.words();
    words.split("\nhelp: ").next()
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
