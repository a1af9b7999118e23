//! The rules about an author's values: the attributes check them in constants, where a broken one is a compile error at the
//! author's own literal, and [`problems`](super::problems()) checks hooks made by hand.

#[cfg(test)]
mod tests;

use std::time::Duration;

use super::{AgentToolKind, Family, PluginAt, PluginMode};
pub use hooks_core::{
    Problem,
    internal::rule::{deadline, id, not_empty},
};
use hooks_core::{duration::duration, glob as globs, internal::is_one_of};

/// Returns the problem in these words, if the rule is broken.
const fn broken(is_broken: bool, words: &'static str) -> Option<Problem> {
    if is_broken {
        return Some(Problem::new(words));
    }
    None
}

/// A kind is 1 to 64 of `[a-z0-9_-]`.
pub const fn kind(word: &str) -> Option<Problem> {
    broken(
        id(word).is_some(),
        "this cannot be the kind of a plugin\nhelp: use 1 to 64 of `a` to `z`, `0` to `9`, `_` and `-`",
    )
}

/// A rule gives a reason.
pub const fn reason(text: &str) -> Option<Problem> {
    broken(
        text.trim_ascii().is_empty(),
        "the reason is empty\nhelp: say in one sentence what is not allowed",
    )
}

/// A glob is well-formed.
pub const fn glob(pattern: &str) -> Option<Problem> {
    globs::problem(pattern)
}

/// The message about a key that names items of another family, by the family of the point.
macro_rules! misplaced {
    (
        $family:ident $key:ident $keys:ident $points:literal
        named { $($named:ident $own:ident $items:ident $row:tt)+ }
        nameless { $($nameless:ident $word:ident { $about:literal, $sees:literal })* }
        lent { $($lent:ident $of:ident $lent_key:ident { $lent_doc:literal, $lent_items:literal })* }
    ) => {
        match $family {
            $(Family::$named => concat!(
                "`", stringify!($key), "` names ", stringify!($keys), ", and this is about ", stringify!($items),
                "\nhelp: write `", stringify!($own), " = \"…\"`",
            ),)+
            $(Family::$nameless => concat!(
                "`", stringify!($key), "` names ", stringify!($keys), ", and ", $sees,
                "\nhelp: remove it, or use ", $points,
            ),)*
            $(Family::$lent => concat!(
                "`", stringify!($key), "` names ", stringify!($keys), ", and this is about ", $lent_items,
                "\nhelp: write `", stringify!($lent_key), " = \"…\"`",
            ),)*
        }
    };
}

macro_rules! names {
    ({ $($named:ident $key:ident $keys:ident { $doc:literal, $points:literal, $($row:tt)* })+ } $families:tt) => {
        /// The key of a family names items of that family's points.
        pub const fn names(key: Family, family: Family) -> Option<Problem> {
            if key as u8 == family.key() as u8 {
                return None;
            }
            Some(Problem::new(match key {
                $(Family::$named => names!(family $key $keys $points $families),)+
                // No key names items of such a family.
                _ => return None,
            }))
        }
    };
    ($family:ident $key:ident $keys:ident $points:literal { $($families:tt)+ }) => {
        misplaced!($family $key $keys $points $($families)+)
    };
    (named $named:tt $($others:tt)*) => {
        names!($named { named $named $($others)* });
    };
}
hooks_text::plugin_families!(names);

/// A scope is visible ASCII without `"` and `\`, so that a challenge can name it (RFC 6749 §3.3).
pub const fn scope(text: &str) -> Option<Problem> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len()
        && bytes[at].is_ascii_graphic()
        && bytes[at] != b'"'
        && bytes[at] != b'\\'
    {
        at += 1;
    }
    broken(
        at < bytes.len() || at == 0,
        "this is no scope\nhelp: use visible ASCII characters without spaces, `\"` and `\\`",
    )
}

/// A condition that tests what no payload of the point has would never match.
pub const fn root(at: PluginAt, root: &str) -> Option<Problem> {
    if is_one_of(at.roots(), root) {
        return None;
    }
    let words = match root.as_bytes() {
        b"user" | b"claims" | b"tenant" | b"server" => return None,
        b"args" => {
            "`args` exists only before a tool runs, a prompt is fetched or an argument is completed\n\
             help: use `tool_pre_invoke`, `prompt_pre_fetch` or `completion_pre_fetch`"
        }
        b"input_responses" => {
            "`input_responses` exists only before a tool runs, a prompt is fetched or a resource is read\n\
             help: use `tool_pre_invoke`, `prompt_pre_fetch` or `resource_pre_fetch`"
        }
        b"result" => {
            "`result` exists only after a tool ran, a prompt was fetched or an argument was completed\n\
             help: use `tool_post_invoke`, `prompt_post_fetch` or `completion_post_fetch`"
        }
        b"content" => {
            "`content` exists only after a resource was read\nhelp: use `resource_post_fetch`"
        }
        b"metadata" => {
            "`metadata` exists only where a resource is read\nhelp: use `resource_pre_fetch`"
        }
        b"argument" => {
            "`argument` exists only where an argument is completed\nhelp: use `completion_pre_fetch`"
        }
        b"value" => {
            "`value` exists only before an argument is completed\nhelp: use `completion_pre_fetch`"
        }
        b"client" | b"commands" | b"paths" | b"urls" | b"mcp_server" | b"mcp_tool" | b"session"
        | b"subagent" | b"folder" => {
            "only the call of an agent client's tool has this root\n\
             help: use `agent_tool_pre_invoke`"
        }
        b"content_type" => {
            "nothing has a `content_type` at this point\n\
             help: use `tool_pre_invoke`, `resource_post_fetch` or a point of HTTP"
        }
        _ if is_one_of(super::ROOTS, root) => {
            "no payload of this point has this root\nhelp: use a root of this point, or the point that has it"
        }
        _ => {
            "a condition cannot read this root\n\
                 help: use `args`, `input_responses`, `result`, `content`, `metadata`, `argument`, `value`, `user`, `claims`, `tenant`, `server` or `content_type`; \
                 at `agent_tool_pre_invoke` also `client`, `commands`, `paths`, `urls`, `mcp_server`, `mcp_tool`, `session`, `subagent` or `folder`"
        }
    };
    Some(Problem::new(words))
}

/// A folder in a condition is resolved already.
pub const fn folder(folder: &str) -> Option<Problem> {
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

/// The payload of the point has the field, and a hook may change it.
pub const fn writable(at: PluginAt, field: &str) -> Option<Problem> {
    broken(!is_one_of(at.fields(), field), at.wrong_field())
}

/// In these modes a failure never stops a request, whatever its posture says. A gate says it also for its trial.
pub const fn posture_in(at: PluginAt, mode: PluginMode) -> Option<Problem> {
    let words = match mode {
        PluginMode::Permissive => {
            "a `permissive` hook never stops a request, so that its failures are ignored\n\
             help: remove `posture`"
        }
        PluginMode::Audit => {
            "an `audit` hook never stops a request, so that its failures are ignored\n\
             help: remove `posture`"
        }
        PluginMode::FireAndForget => {
            "nobody waits for a `fire_and_forget` hook, so that its failures are only logged\n\
             help: remove `posture`"
        }
        _ => return None,
    };
    broken(!at.is_gate(), words)
}

/// The longest deadline of a gate. Clients end a hook after 3 s (Cline) or later, and a call runs then.
pub const GATE_DEADLINE: Duration = Duration::from_secs(2);

/// A gate says what it does when it cannot judge a call. A rule without a body cannot fail elsewhere.
pub const fn posture_at(at: PluginAt, given: bool, is_rule: bool) -> Option<Problem> {
    let words = match at.is_gate() {
        true if !given => {
            "a gate says what happens when it cannot judge a call\n\
             help: add `posture = deny`, which refuses the call, or `posture = proceed`, which lets it run"
        }
        false if given && is_rule => {
            "a rule without a body cannot fail\nhelp: remove `posture`, or use the point `agent_tool_pre_invoke`"
        }
        _ => return None,
    };
    Some(Problem::new(words))
}

/// Returns whether a hook at the point is about the tools of agent clients.
const fn is_of_agents(at: PluginAt) -> bool {
    matches!(at.family(), Family::AgentTool)
}

/// Only tools of agent clients have a kind.
pub const fn kinds(at: PluginAt) -> Option<Problem> {
    broken(
        !is_of_agents(at),
        "only tools of agent clients have a `kind`\n\
         help: use `agent_tool_pre_invoke`, or name tools with `tool = \"…\"`",
    )
}

/// At least one client asks its hooks about tools of this kind.
pub const fn holds(kind: AgentToolKind) -> Option<Problem> {
    broken(
        matches!(kind, AgentToolKind::ShellInput),
        "no client asks its hooks before text goes into a shell that runs already, so no gate can hold it\n\
         help: use `kind = shell`, whose gates refuse to start interactive shells where this matters",
    )
}

/// A gate decides alone and at once.
pub const fn mode_at(at: PluginAt, mode: PluginMode) -> Option<Problem> {
    let words = match mode {
        PluginMode::Concurrent => {
            "gates run one after the other\nhelp: remove `mode`, or write `mode = audit`"
        }
        PluginMode::FireAndForget => {
            "the process of a gate ends with its answer, so nothing runs after it\n\
             help: use `agent_tool_post_invoke`, or write `mode = audit`"
        }
        _ => return None,
    };
    broken(at.is_gate(), words)
}

/// Nobody answers a question of a gate: clients run the call unasked, end the run, or wait for ever.
pub const fn asks_at(at: PluginAt, asks: bool) -> Option<Problem> {
    broken(
        is_of_agents(at) && asks,
        "a gate cannot ask the user: some clients then run the call, and one waits for ever\n\
         help: answer with `Verdict<AgentToolCall>`, or with `Verdict<Infallible>` if nothing is changed",
    )
}

/// A rule without a body stands where a call can still be refused.
pub const fn denies(at: PluginAt) -> Option<Problem> {
    broken(
        matches!(at, PluginAt::AgentToolPostInvoke),
        "the tool ran already, so that nothing is refused here\nhelp: use `agent_tool_pre_invoke`",
    )
}

/// A gate ends before its client ends it.
pub const fn deadline_of(at: PluginAt, text: &str) -> Option<Problem> {
    match duration(text) {
        Some(time) => gate_deadline(at, time),
        None => None,
    }
}

/// A gate ends before its client ends it.
pub const fn gate_deadline(at: PluginAt, time: Duration) -> Option<Problem> {
    broken(
        at.is_gate() && time.as_millis() > GATE_DEADLINE.as_millis(),
        "a gate has at most 2 s: a client that ends it runs the call\nhelp: write `deadline = \"2s\"` or less",
    )
}

/// In these modes nobody waits for the user.
pub const fn asks(mode: PluginMode, asks: bool) -> Option<Problem> {
    let words = match mode {
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
        _ => return None,
    };
    broken(asks, words)
}

/// Hooks that run side by side would overwrite each other's changes.
pub const fn modifies(mode: PluginMode, modifies: bool, asks: bool) -> Option<Problem> {
    broken(
        matches!(mode, PluginMode::Concurrent) && modifies && !asks,
        "a `concurrent` hook cannot change the payload, and this answer can\n\
         help: answer with `Verdict<Infallible>`",
    )
}
