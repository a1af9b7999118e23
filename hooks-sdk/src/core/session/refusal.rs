//! Why a tool may not be called, and what to call instead.

use std::fmt;

use thiserror::Error;

use super::{Edge, Machine, StateIndex, rules::Any};

/// A refused call: its [`Display`](fmt::Display) is the directive for the agent.
///
/// In the start state it is the sentence of the guidance document, word for word. The tools it names are
/// those that really lead on, so that the refused one can be called after them. The state's own text, if
/// it has one, follows.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub struct Refusal {
    /// The tool that was refused.
    pub tool: Box<str>,
    /// The state it was refused in, by name.
    pub state: Box<str>,
    /// The tools to call first: one of these. Empty when none leads to a state that allows the tool.
    pub first: Vec<Box<str>>,
    directive: Box<str>,
}

impl Refusal {
    pub(super) fn of(machine: &Machine, state: StateIndex, tool: &str) -> Refusal {
        let first = leading(machine, state, tool);
        let mut directive = sentence(machine, state, tool, &first);
        if !machine.text(state).is_empty() {
            directive.push_str("\n\n");
            directive.push_str(machine.text(state));
        }
        Refusal {
            tool: tool.into(),
            state: machine.name(state).into(),
            first: first.into_iter().map(Into::into).collect(),
            directive: directive.into(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.directive)
    }
}

fn sentence(machine: &Machine, state: StateIndex, tool: &str, first: &[&str]) -> String {
    let any = machine.rules(state).any;
    let call = match (first, any) {
        ([], Any::To(_)) => "another tool".to_owned(),
        ([], _) => {
            let name = machine.name(state);
            return format!(
                "Tool \"{tool}\" is not available in the session's state \"{name}\", and no tool leads on to one in which it is."
            );
        }
        (first, _) => first.join(" or "),
    };
    match any {
        _ if state != machine.start() => {
            let name = machine.name(state);
            format!(
                "Tool \"{tool}\" is not available in the session's state \"{name}\". You MUST call {call} first before using this tool."
            )
        }
        Any::Refused => format!(
            "Tool \"{tool}\" requires session initialization. You MUST call {call} first before using any other tools. This is a MANDATORY first action."
        ),
        Any::Allowed | Any::To(_) => format!(
            "Tool \"{tool}\" requires session initialization. You MUST call {call} first before using this tool."
        ),
    }
}

/// The named tools out of `state` from which a state is reached that allows `tool`.
fn leading<'m>(machine: &'m Machine, state: StateIndex, tool: &str) -> Vec<&'m str> {
    let reached = |edges: &[Edge]| {
        edges
            .iter()
            .any(|edge| edge.to != state && reaches(machine, state, edge.to, tool))
    };
    machine
        .ways_on(state)
        .filter(|(_, edges)| reached(edges))
        .map(|(name, _)| name)
        .collect()
}

/// Whether `tool` is allowed in `from` or in a state after it, without going through `not_through`.
fn reaches(machine: &Machine, not_through: StateIndex, from: StateIndex, tool: &str) -> bool {
    let mut seen = vec![false; machine.states().len()];
    seen[not_through.get()] = true;
    let mut open = vec![from];
    while let Some(state) = open.pop() {
        if std::mem::replace(&mut seen[state.get()], true) {
            continue;
        }
        if machine.allows(state, tool) {
            return true;
        }
        open.extend(machine.leads_to(state));
    }
    false
}
