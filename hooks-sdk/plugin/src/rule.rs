//! The rules about an author's values, usable in constants and at run time.

use super::{Family, PluginAt, PluginMode};
pub(super) use hooks_core::internal::rule::{deadline, deadline_ms, id, not_empty};
use hooks_core::{Problem, glob as globs};

/// A kind is 1 to 64 of `[a-z0-9_-]`.
pub(super) const fn kind(word: &str) -> Option<Problem> {
    match id(word) {
        Some(_) => Some(Problem::new(
            "this cannot be the kind of a plugin\nhelp: use 1 to 64 of `a` to `z`, `0` to `9`, `_` and `-`",
        )),
        None => None,
    }
}

pub(super) const fn reason(text: &str) -> Option<Problem> {
    if text.trim_ascii().is_empty() {
        return Some(Problem::new(
            "the reason is empty\nhelp: say in one sentence what is not allowed",
        ));
    }
    None
}

pub(super) const fn glob(pattern: &str) -> Option<Problem> {
    globs::problem(pattern)
}

/// The key `tool` names items of tools' points, and so on.
pub(super) const fn tool(family: Family) -> Option<Problem> {
    match family {
        Family::Tool => None,
        Family::Prompt => Some(Problem::new(
            "`tool` names tools, and this is about prompts\nhelp: write `prompt = \"…\"`",
        )),
        Family::Resource => Some(Problem::new(
            "`tool` names tools, and this is about resources\nhelp: write `resource = \"…\"`",
        )),
        Family::Http => Some(Problem::new(
            "`tool` names tools, and an HTTP point sees requests and responses\n\
             help: remove it, or use `tool_pre_invoke` or `tool_post_invoke`",
        )),
    }
}

pub(super) const fn prompt(family: Family) -> Option<Problem> {
    match family {
        Family::Prompt => None,
        Family::Tool => Some(Problem::new(
            "`prompt` names prompts, and this is about tools\nhelp: write `tool = \"…\"`",
        )),
        Family::Resource => Some(Problem::new(
            "`prompt` names prompts, and this is about resources\nhelp: write `resource = \"…\"`",
        )),
        Family::Http => Some(Problem::new(
            "`prompt` names prompts, and an HTTP point sees requests and responses\n\
             help: remove it, or use `prompt_pre_fetch` or `prompt_post_fetch`",
        )),
    }
}

pub(super) const fn resource(family: Family) -> Option<Problem> {
    match family {
        Family::Resource => None,
        Family::Tool => Some(Problem::new(
            "`resource` names resources, and this is about tools\nhelp: write `tool = \"…\"`",
        )),
        Family::Prompt => Some(Problem::new(
            "`resource` names resources, and this is about prompts\nhelp: write `prompt = \"…\"`",
        )),
        Family::Http => Some(Problem::new(
            "`resource` names resources, and an HTTP point sees requests and responses\n\
             help: remove it, or use `resource_pre_fetch` or `resource_post_fetch`",
        )),
    }
}

/// A condition that tests what no payload of the point has would never match.
pub(super) const fn root(at: PluginAt, root: &str) -> Option<Problem> {
    let words = match root.as_bytes() {
        b"user" | b"tenant" | b"server" => return None,
        b"args" => {
            "`args` exists only before a tool runs or a prompt is fetched\n\
             help: use `tool_pre_invoke` or `prompt_pre_fetch`"
        }
        b"input_responses" => {
            "`input_responses` exists only before a tool runs, a prompt is fetched or a resource is read\n\
             help: use `tool_pre_invoke`, `prompt_pre_fetch` or `resource_pre_fetch`"
        }
        b"result" => {
            "`result` exists only after a tool ran or a prompt was fetched\n\
             help: use `tool_post_invoke` or `prompt_post_fetch`"
        }
        b"content" => {
            "`content` exists only after a resource was read\nhelp: use `resource_post_fetch`"
        }
        b"metadata" => {
            "`metadata` exists only where a resource is read\nhelp: use `resource_pre_fetch`"
        }
        b"content_type" => {
            if matches!(at, PluginAt::ToolPreInvoke | PluginAt::ResourcePostFetch)
                || matches!(at.family(), Family::Http)
            {
                return None;
            }
            "nothing has a `content_type` at this point\n\
             help: use `tool_pre_invoke`, `resource_post_fetch` or a point of HTTP"
        }
        _ => {
            return Some(Problem::new(
                "a condition cannot read this root\n\
                 help: use `args`, `input_responses`, `result`, `content`, `metadata`, `user`, `tenant`, `server` or `content_type`",
            ));
        }
    };
    if has(at.fields(), root) {
        return None;
    }
    Some(Problem::new(words))
}

/// A folder in a condition is resolved already.
pub(super) const fn folder(folder: &str) -> Option<Problem> {
    let bytes = folder.as_bytes();
    let mut at = 0;
    let mut part = 0;
    while at <= bytes.len() {
        if at == bytes.len() || bytes[at] == b'/' || bytes[at] == b'\\' {
            if at - part == 2 && bytes[part] == b'.' && bytes[part + 1] == b'.' {
                return Some(Problem::new(
                    "the folder has `..` in it\nhelp: write the folder without `..`",
                ));
            }
            part = at + 1;
        }
        at += 1;
    }
    None
}

pub(super) const fn writable(at: PluginAt, field: &str) -> Option<Problem> {
    if has(at.fields(), field) {
        return None;
    }
    Some(Problem::new(match at {
        PluginAt::ToolPreInvoke => {
            "the payload has no such field\nhelp: use `name`, `args` or `headers`"
        }
        PluginAt::ToolPostInvoke => "the payload has no such field\nhelp: use `name` or `result`",
        PluginAt::PromptPreFetch => {
            "the payload has no such field\nhelp: use `prompt_id` or `args`"
        }
        PluginAt::PromptPostFetch => {
            "the payload has no such field\nhelp: use `prompt_id` or `result`"
        }
        PluginAt::ResourcePreFetch => {
            "the payload has no such field\nhelp: use `uri` or `metadata`"
        }
        PluginAt::ResourcePostFetch => {
            "the payload has no such field\nhelp: use `uri`, `content` or `metadata`"
        }
        PluginAt::HttpPostRequest => {
            "a hook may change only the headers here\nhelp: use `response_headers`"
        }
        PluginAt::HttpPreRequest
        | PluginAt::HttpPreForwardingCall
        | PluginAt::HttpPostForwardingCall => {
            "a hook may change only the headers here\nhelp: use `headers`"
        }
    }))
}

/// In these modes a failure never stops a request, whatever `on_failure` says.
pub(super) const fn failure_in(mode: PluginMode) -> Option<Problem> {
    let words = match mode {
        PluginMode::Permissive => {
            "a `permissive` hook never stops a request, so that its failures are ignored\n\
             help: remove `on_failure`"
        }
        PluginMode::Audit => {
            "an `audit` hook never stops a request, so that its failures are ignored\n\
             help: remove `on_failure`"
        }
        PluginMode::FireAndForget => {
            "nobody waits for a `fire_and_forget` hook, so that its failures are only logged\n\
             help: remove `on_failure`"
        }
        PluginMode::Enforce
        | PluginMode::Transform
        | PluginMode::Concurrent
        | PluginMode::Disabled => return None,
    };
    Some(Problem::new(words))
}

/// In these modes nobody waits for the user.
pub(super) const fn asks(mode: PluginMode, asks: bool) -> Option<Problem> {
    let words = match mode {
        _ if !asks => return None,
        PluginMode::Audit => {
            "an `audit` hook cannot ask the user, and this answer can\n\
             help: answer with a `Verdict` without `Question`"
        }
        PluginMode::Concurrent => {
            "a `concurrent` hook cannot ask the user, and this answer can\n\
             help: answer with `Verdict<Infallible>`"
        }
        PluginMode::FireAndForget => {
            "a `fire_and_forget` hook cannot ask the user, and this answer can\n\
             help: answer with a `Verdict` without `Question`"
        }
        PluginMode::Enforce
        | PluginMode::Permissive
        | PluginMode::Transform
        | PluginMode::Disabled => return None,
    };
    Some(Problem::new(words))
}

/// Hooks that run side by side would overwrite each other's changes.
pub(super) const fn modifies(mode: PluginMode, modifies: bool, asks: bool) -> Option<Problem> {
    // An answer that can ask too is another rule's.
    if !modifies || asks || !matches!(mode, PluginMode::Concurrent) {
        return None;
    }
    Some(Problem::new(
        "a `concurrent` hook cannot change the payload, and this answer can\n\
         help: answer with `Verdict<Infallible>`",
    ))
}

/// Whether `word` is one of `words`.
const fn has(words: &[&str], word: &str) -> bool {
    let mut at = 0;
    while at < words.len() {
        if same(words[at].as_bytes(), word.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_read_where_a_payload_has_them() {
        use PluginAt::{
            HttpPreRequest, PromptPostFetch, PromptPreFetch, ResourcePostFetch, ResourcePreFetch,
            ToolPostInvoke, ToolPreInvoke,
        };
        for (word, good) in [
            ("args", &[ToolPreInvoke, PromptPreFetch][..]),
            (
                "input_responses",
                &[ToolPreInvoke, PromptPreFetch, ResourcePreFetch],
            ),
            ("result", &[ToolPostInvoke, PromptPostFetch]),
            ("content", &[ResourcePostFetch]),
            ("metadata", &[ResourcePreFetch, ResourcePostFetch]),
            ("name", &[]),
        ] {
            for at in PluginAt::ALL {
                assert_eq!(
                    root(*at, word).is_none(),
                    good.contains(at),
                    "{word} {at:?}"
                );
            }
        }
        for word in ["user", "tenant", "server"] {
            assert!(PluginAt::ALL.iter().all(|at| root(*at, word).is_none()));
        }
        assert!(root(HttpPreRequest, "content_type").is_none());
        assert!(root(PromptPreFetch, "content_type").is_some());
    }

    #[test]
    fn a_folder_leads_nowhere_else() {
        for (path, good) in [
            ("/srv/data", true),
            ("..hidden/x..", true),
            ("..", false),
            ("/srv/../etc", false),
            ("C:\\data\\..", false),
        ] {
            assert_eq!(folder(path).is_none(), good, "{path}");
        }
    }

    #[test]
    fn the_macros_know_every_word() {
        assert_eq!(super::super::mode::WORDS, hooks_text::PLUGIN_MODES.words);
        assert_eq!(super::super::list_of::WORDS, hooks_text::PLUGIN_LISTS.words);
        assert_eq!(super::super::ROOTS, hooks_text::PLUGIN_ROOTS.words);
        let points: Vec<&str> = PluginAt::ALL.iter().map(|at| at.as_str()).collect();
        assert_eq!(points, hooks_text::PLUGIN_POINTS.words);
        let mut fields: Vec<&str> = PluginAt::ALL
            .iter()
            .flat_map(|at| at.fields())
            .copied()
            .collect();
        let mut words = hooks_text::PLUGIN_FIELDS.words.to_vec();
        fields.sort_unstable();
        fields.dedup();
        words.sort_unstable();
        assert_eq!(fields, words);
    }
}
