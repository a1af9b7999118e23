//! The rules about plugin hooks, list hooks and gates.

#[cfg(test)]
mod tests;

use std::time::Duration;

use super::{Problem, broken};
pub use super::{deadline, deadline_ms, id, not_empty};
pub use crate::glob::problem as glob;
use crate::{
    PLUGIN_ROOTS,
    duration::duration,
    plugin_points::{COMMON_ROOTS, ROWS, Row, misplaced},
};

/// The longest deadline of a gate. Clients end a hook after 3 s (Cline) or later, and a call runs then.
pub const GATE_DEADLINE: Duration = Duration::from_secs(2);

fn row(at: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.word == at)
}

fn is_gate(at: &str) -> bool {
    at == "agent_tool_pre_invoke"
}

/// Returns whether a hook at the point is about the tools of agent clients.
fn is_of_agents(at: &str) -> bool {
    row(at).is_some_and(|row| row.family == "AgentTool")
}

/// A kind is 1 to 64 of `[a-z0-9_-]`.
pub fn kind(word: &str) -> Option<Problem> {
    broken(
        id(word).is_some(),
        "this cannot be the kind of a plugin\nhelp: use 1 to 64 of `a` to `z`, `0` to `9`, `_` and `-`",
    )
}

/// A rule gives a reason.
pub fn reason(text: &str) -> Option<Problem> {
    broken(
        text.trim_ascii().is_empty(),
        "the reason is empty\nhelp: say in one sentence what is not allowed",
    )
}

/// The key of a family names items of that family's points: returns what is wrong, and the edit that mends it.
pub fn items_at(key: &str, at: &str) -> Option<(String, String)> {
    misplaced(key, row(at)?.family)
}

/// As [`items_at`], for the list `of`.
pub fn items_of(key: &str, of: &str) -> Option<(String, String)> {
    let family = match of {
        "tools" => "Tool",
        "prompts" => "Prompt",
        _ => "Resource",
    };
    misplaced(key, family)
}

/// A scope is visible ASCII without `"` and `\`, so that a challenge can name it (RFC 6749 §3.3).
pub fn scope(text: &str) -> Option<Problem> {
    let fits = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    broken(
        text.is_empty() || !text.bytes().all(fits),
        "this is no scope\nhelp: use visible ASCII characters without spaces, `\"` and `\\`",
    )
}

/// A condition that tests what no payload of the point has would never match.
pub fn root(at: &str, root: &str) -> Option<Problem> {
    let row = row(at)?;
    if row.roots.contains(&root) || COMMON_ROOTS.contains(&root) {
        return None;
    }
    Some(Problem::new(match root {
        "args" => {
            "`args` exists only before a tool runs, a prompt is fetched or an argument is completed\n\
             help: use `tool_pre_invoke`, `prompt_pre_fetch` or `completion_pre_fetch`"
        }
        "input_responses" => {
            "`input_responses` exists only before a tool runs, a prompt is fetched or a resource is read\n\
             help: use `tool_pre_invoke`, `prompt_pre_fetch` or `resource_pre_fetch`"
        }
        "result" => {
            "`result` exists only after a tool ran, a prompt was fetched or an argument was completed\n\
             help: use `tool_post_invoke`, `prompt_post_fetch` or `completion_post_fetch`"
        }
        "content" => {
            "`content` exists only after a resource was read\nhelp: use `resource_post_fetch`"
        }
        "metadata" => {
            "`metadata` exists only where a resource is read\nhelp: use `resource_pre_fetch`"
        }
        "argument" => {
            "`argument` exists only where an argument is completed\nhelp: use `completion_pre_fetch`"
        }
        "value" => {
            "`value` exists only before an argument is completed\nhelp: use `completion_pre_fetch`"
        }
        "client" | "commands" | "paths" | "urls" | "mcp_server" | "mcp_tool" | "session"
        | "subagent" | "folder" => {
            "only the call of an agent client's tool has this root\n\
             help: use `agent_tool_pre_invoke`"
        }
        "content_type" => {
            "nothing has a `content_type` at this point\n\
             help: use `tool_pre_invoke`, `resource_post_fetch` or a point of HTTP"
        }
        _ if PLUGIN_ROOTS.words.contains(&root) => {
            "no payload of this point has this root\nhelp: use a root of this point, or the point that has it"
        }
        _ => {
            "a condition cannot read this root\n\
             help: use `args`, `input_responses`, `result`, `content`, `metadata`, `argument`, `value`, `user`, `claims`, `tenant`, `server` or `content_type`; \
             at `agent_tool_pre_invoke` also `client`, `commands`, `paths`, `urls`, `mcp_server`, `mcp_tool`, `session`, `subagent` or `folder`"
        }
    }))
}

/// A folder in a condition is resolved already.
pub fn folder(folder: &str) -> Option<Problem> {
    broken(
        folder.split(['/', '\\']).any(|part| part == ".."),
        "the folder has `..` in it\nhelp: write the folder without `..`",
    )
}

/// The payload of the point has the field, and a hook may change it.
pub fn writable(at: &str, field: &str) -> Option<Problem> {
    let row = row(at)?;
    broken(!row.fields.contains(&field), row.wrong_field)
}

/// In these modes a failure never stops a request, whatever its posture says. A gate says it also for its trial.
pub fn posture_in(at: &str, mode: &str) -> Option<Problem> {
    let words = match mode {
        "permissive" => {
            "a `permissive` hook never stops a request, so that its failures are ignored\n\
             help: remove `posture`"
        }
        "audit" => {
            "an `audit` hook never stops a request, so that its failures are ignored\n\
             help: remove `posture`"
        }
        "fire_and_forget" => {
            "nobody waits for a `fire_and_forget` hook, so that its failures are only logged\n\
             help: remove `posture`"
        }
        _ => return None,
    };
    broken(!is_gate(at), words)
}

/// A gate says what it does when it cannot judge a call. A rule without a body cannot fail elsewhere.
pub fn posture_at(at: &str, given: bool, is_rule: bool) -> Option<Problem> {
    let words = match is_gate(at) {
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

/// Only tools of agent clients have a kind.
pub fn kinds(at: &str) -> Option<Problem> {
    broken(
        !is_of_agents(at),
        "only tools of agent clients have a `kind`\n\
         help: use `agent_tool_pre_invoke`, or name tools with `tool = \"…\"`",
    )
}

/// At least one client asks its hooks about tools of this kind.
pub fn holds(kind: &str) -> Option<Problem> {
    broken(
        kind == "shell_input",
        "no client asks its hooks before text goes into a shell that runs already, so no gate can hold it\n\
         help: use `kind = shell`, whose gates refuse to start interactive shells where this matters",
    )
}

/// A gate decides alone and at once.
pub fn mode_at(at: &str, mode: &str) -> Option<Problem> {
    let words = match mode {
        "concurrent" => {
            "gates run one after the other\nhelp: remove `mode`, or write `mode = audit`"
        }
        "fire_and_forget" => {
            "the process of a gate ends with its answer, so nothing runs after it\n\
             help: use `agent_tool_post_invoke`, or write `mode = audit`"
        }
        _ => return None,
    };
    broken(is_gate(at), words)
}

/// A rule without a body stands where a call can still be refused.
pub fn denies(at: &str) -> Option<Problem> {
    broken(
        at == "agent_tool_post_invoke",
        "the tool ran already, so that nothing is refused here\nhelp: use `agent_tool_pre_invoke`",
    )
}

/// A gate ends before its client ends it.
pub fn gate_deadline(at: &str, time: Duration) -> Option<Problem> {
    broken(
        is_gate(at) && time > GATE_DEADLINE,
        "a gate has at most 2 s: a client that ends it runs the call\nhelp: write `deadline = \"2s\"` or less",
    )
}

/// As [`gate_deadline`], for a time as an author writes it.
pub fn deadline_of(at: &str, time: &str) -> Option<Problem> {
    gate_deadline(at, duration(time)?)
}
