//! Why a tool may not be called, and what to call instead.

use std::{borrow::Cow, fmt};

use thiserror::Error;

use super::{Edge, Machine, StateIndex, rules::Any};
use crate::core::template::substitute;

/// A refused call: its [`Display`](fmt::Display) is the sentence that the agent reads.
///
/// In the start state it is the sentence of the guidance document, word for word. In later states it says what
/// leads to the tool, and never orders it. The author's own sentence, if there is one, stands in its place. The
/// state's own text follows.
///
/// Tools that the author marked as destructive are never named.
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
        let proposal = Proposal::of(machine, state, tool);
        let mut directive = match &*machine.rules(state).refusal {
            "" => sentence(machine, state, tool, &proposal),
            own => {
                let first = proposal.first.join(" or ");
                let value = |name: &str| match name {
                    "tool" => Some(Cow::Borrowed(tool)),
                    "state" => Some(Cow::Borrowed(machine.name(state))),
                    "first" => Some(Cow::Borrowed(&*first)),
                    _ => None,
                };
                substitute(own, value).into_owned()
            }
        };
        if !machine.text(state).is_empty() {
            directive.push_str("\n\n");
            directive.push_str(machine.text(state));
        }
        Refusal {
            tool: tool.into(),
            state: machine.name(state).into(),
            first: proposal.first.into_iter().map(Into::into).collect(),
            directive: directive.into(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.directive)
    }
}

/// What an agent may do about a refusal.
struct Proposal<'m> {
    /// The tools that lead to the refused one.
    first: Vec<&'m str>,
    /// Whether a destructive tool leads to it, which is not named.
    hides: bool,
    /// The other tools that the state names and allows, without those that end the session.
    now: Vec<&'m str>,
}

impl<'m> Proposal<'m> {
    fn of(machine: &'m Machine, state: StateIndex, tool: &str) -> Proposal<'m> {
        let leading = leading(machine, state, tool);
        let harmless = |tool: &&str| !machine.is_destructive(tool);
        let first: Vec<&str> = leading.iter().copied().filter(harmless).collect();
        let rules = machine.rules(state).tools.iter();
        let allowed = rules.filter(|(_, rule)| rule.allowed);
        let others = allowed
            .map(|(tool, _)| &**tool)
            .filter(|tool| !leading.contains(tool) && !machine.resets(tool));
        Proposal {
            hides: first.len() < leading.len(),
            now: others.filter(harmless).collect(),
            first,
        }
    }

    /// The sentence that names what may be called now.
    fn available(&self, any: Any) -> String {
        const MOST: usize = 10;
        let more = self.now.len().saturating_sub(MOST);
        match (any, &self.now[..]) {
            (Any::Allowed | Any::To(_), _) => " Other tools are available.".to_owned(),
            (Any::Refused, []) => String::new(),
            (Any::Refused, now) if more > 0 => {
                format!(
                    " Available now: {}, and {more} more.",
                    now[..MOST].join(", ")
                )
            }
            (Any::Refused, now) => format!(" Available now: {}.", now.join(", ")),
        }
    }
}

fn sentence(machine: &Machine, state: StateIndex, tool: &str, proposal: &Proposal<'_>) -> String {
    let any = machine.rules(state).any;
    let name = machine.name(state);
    let first = match (&proposal.first[..], any) {
        ([], Any::To(_)) => Some("another tool".to_owned()),
        ([], _) => None,
        (first, _) => Some(first.join(" or ")),
    };
    let here = format!("Tool \"{tool}\" is not available in the session's state \"{name}\"");
    match first {
        None if proposal.hides => format!("{here}.{}", proposal.available(any)),
        None => format!("{here}, and no tool leads on to one in which it is."),
        Some(first) if state != machine.start() => {
            let available = proposal.available(any);
            format!("{here}. It becomes available after {first}.{available}")
        }
        Some(first) => {
            let opens = format!(
                "Tool \"{tool}\" requires session initialization. You MUST call {first} first before using"
            );
            match any {
                Any::Refused if proposal.now.is_empty() && !proposal.hides => {
                    format!("{opens} any other tools. This is a MANDATORY first action.")
                }
                Any::Refused => format!("{opens} this tool.{}", proposal.available(any)),
                Any::Allowed | Any::To(_) => format!("{opens} this tool."),
            }
        }
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
