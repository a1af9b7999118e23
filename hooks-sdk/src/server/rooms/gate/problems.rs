//! Finds the problems between a session machine and the hooks and tools of its server.

use rmcp::model::Tool;

use super::listing::declares;
use crate::{
    core::{BuildError, Point, Registry},
    lifecycle::{self, point},
    session::{Machine, OPENING_TOOL},
};

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
            None if machine.moves_by_name(name) => problems.push(unknown(name, knows_tools)),
            None => tracing::warn!(
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

/// Returns the problem of a tool that moves sessions and that `get_tool` does not return.
fn unknown(name: &str, knows_tools: bool) -> BuildError {
    if knows_tools {
        let message = format!(
            "the session moves on with `{name}`, which `get_tool` of this server does not know"
        );
        let help = "name one of its tools, or let `get_tool` return it";
        return BuildError::new(None, message, help);
    }
    let message = format!(
        "the session moves on with `{name}`, and `get_tool` of this server knows no tool of the session's"
    );
    let help =
        "implement `get_tool`, which `#[tool_handler]` writes, and name tools of this server";
    BuildError::new(None, message, help)
}
