//! Finds the problems between a session machine and the hooks and tools of its server.

use hooks_text::nearest;
use rmcp::model::Tool;

use super::listing::declares;
use hooks_core::{
    BuildError, Point, Registry,
    lifecycle::{self, point},
    session::{Machine, OPENING_TOOL},
};

/// The longest name, in bytes, for which names that are almost the same are tried.
const LONGEST_GUESSED: usize = 64;

/// Returns the problems. `get_tool` returns the author's tools only.
pub(super) fn problems(
    machine: &Machine,
    argument: &str,
    registry: &Registry,
    get_tool: &dyn Fn(&str) -> Option<Tool>,
) -> Vec<BuildError> {
    let mut problems = Vec::new();
    if argument.is_empty() {
        problems.push(BuildError::new(
            None,
            "the argument that carries sessions has no name",
            "name it",
        ));
    }
    let knows_tools = machine
        .tools()
        .into_iter()
        .any(|name| get_tool(name).is_some());
    for name in machine.tools() {
        match get_tool(name) {
            Some(tool) if machine.guards(name) && declares(&tool, argument) => {
                problems.push(BuildError::new(
                    None,
                    format!("the tool `{name}` has a parameter `{argument}`, which is the argument that carries sessions"),
                    "rename the parameter, or set another `Sessions::argument`",
                ));
            }
            Some(_) => {}
            None if name == OPENING_TOOL => {}
            None if machine.moves_by_name(name) => {
                let near = near(name, machine, get_tool);
                problems.push(unknown(name, near.as_deref(), knows_tools));
            }
            None => warn!(
                tool = name,
                "the session machine names a tool that `get_tool` does not know"
            ),
        }
    }
    problems.extend(refused_context_tools(machine, registry));
    problems
}

/// Returns a problem for each early hook whose context tool the start state refuses. A client fires these hooks before
/// anybody can open the session.
fn refused_context_tools(machine: &Machine, registry: &Registry) -> Vec<BuildError> {
    let early = [point::session_start::METHOD, point::pre_request::METHOD];
    let start = machine.start();
    let hooks = registry
        .details::<lifecycle::LifecycleHook>()
        .filter(|(hook, _)| early.contains(&hook.point()));
    hooks
        .filter_map(|(hook, lifecycle)| Some((hook, lifecycle.context_tool()?)))
        .filter(|(_, tool)| !machine.allows(start, tool))
        .map(|(hook, tool)| {
            let (point, state) = (hook.point(), machine.name(start));
            BuildError::new(
                hook.origin(),
                format!("the hook `{}` at `{point}` names the context tool `{tool}`, which a session in `{state}` refuses", hook.id()),
                format!("add `allow({tool})` to `{state}`"),
            )
        })
        .collect()
}

/// Returns a tool of the server whose name is almost `name`. A server lists its tools to clients only, so this asks
/// `get_tool` for every name that is one letter away.
fn near(name: &str, machine: &Machine, get_tool: &dyn Fn(&str) -> Option<Tool>) -> Option<String> {
    let named = machine.tools().into_iter();
    let known = named.filter(|tool| get_tool(tool).is_some());
    if let Some(near) = nearest(name, known) {
        return Some(near.to_owned());
    }
    if !name.is_ascii() || name.len() > LONGEST_GUESSED {
        return None;
    }
    let letters = || "abcdefghijklmnopqrstuvwxyz0123456789_-".chars();
    let mut guesses = Vec::new();
    for at in 0..=name.len() {
        let (before, after) = name.split_at(at);
        guesses.extend(letters().map(|letter| format!("{before}{letter}{after}")));
        if let Some(rest) = after.get(1..) {
            guesses.push(format!("{before}{rest}"));
            guesses.extend(letters().map(|letter| format!("{before}{letter}{rest}")));
        }
    }
    let is_tool = |guess: &String| guess != name && get_tool(guess).is_some();
    guesses.into_iter().find(is_tool)
}

/// Returns the problem of a tool that moves sessions and that `get_tool` does not return.
fn unknown(name: &str, near: Option<&str>, knows_tools: bool) -> BuildError {
    let moves = format!("the session moves on with `{name}`,");
    let (message, help) = match near {
        Some(near) => (
            format!("{moves} which this server does not have"),
            format!("did you mean `{near}`?"),
        ),
        None if knows_tools => (
            format!("{moves} which `get_tool` of this server does not know"),
            "name one of its tools, or let `get_tool` return it".to_owned(),
        ),
        None => (
            format!("{moves} and `get_tool` of this server knows no tool of the session's"),
            "implement `get_tool`, which `#[tool_handler]` writes, and name tools of this server"
                .to_owned(),
        ),
    };
    BuildError::new(None, message, help)
}
