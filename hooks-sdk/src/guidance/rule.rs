//! The rules for a definition's values.

use super::HookType;
use crate::core::glob;

/// A rule that a value breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    /// What is wrong with the value.
    pub(super) problem: &'static str,
    /// The edit that corrects it.
    pub(super) help: &'static str,
}

/// Returns the problem of a tag, if there is one. A tag is one or more of `a` to `z`, `0` to `9` and `-`.
pub(super) const fn tag(tag: &str) -> Option<Broken> {
    const HELP: &str = "write it in kebab-case, as in `init-required`";
    let bytes = tag.as_bytes();
    if bytes.is_empty() {
        return Some(Broken {
            problem: "the tag is empty",
            help: HELP,
        });
    }
    let mut at = 0;
    while at < bytes.len() {
        if !matches!(bytes[at], b'a'..=b'z' | b'0'..=b'9' | b'-') {
            return Some(Broken {
                problem: "a tag is kebab-case: `a` to `z`, `0` to `9` and `-`",
                help: HELP,
            });
        }
        at += 1;
    }
    None
}

/// Returns the problem of a name, if there is one.
pub(super) const fn name(name: &str) -> Option<Broken> {
    if name.is_empty() {
        Some(Broken {
            problem: "the name is empty",
            help: "write a name for people, as in `Welcome`",
        })
    } else {
        None
    }
}

/// Returns the problem of an app, if there is one. An empty app would make ids that begin with a colon.
pub(super) const fn app(app: &str) -> Option<Broken> {
    if app.is_empty() {
        Some(Broken {
            problem: "the app is empty",
            help: "leave it out to take the server's",
        })
    } else {
        None
    }
}

/// Returns the problem of a hook's tool, if there is one.
pub(super) fn tool(hook_type: HookType, pattern: &str) -> Option<Broken> {
    about_tools(hook_type).or_else(|| glob(pattern))
}

/// Returns why a hook of this type cannot have a tool, if it cannot.
pub(super) fn about_tools(hook_type: HookType) -> Option<Broken> {
    (hook_type != HookType::Action).then_some(Broken {
        problem: "only an `action` hook is about a tool",
        help: "remove the tool, or make the type `action`",
    })
}

/// Returns the problem of a pattern, if there is one.
pub(super) fn glob(pattern: &str) -> Option<Broken> {
    let words = glob::problem(pattern)?.words();
    let (problem, help) = words.split_once("\nhelp: ").unwrap_or((words, ""));
    Some(Broken { problem, help })
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
