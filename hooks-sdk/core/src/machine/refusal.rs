//! The refusal of a call: the reason, and the tools to call instead.

use std::{borrow::Cow, fmt};

use thiserror::Error;

use super::{Edge, Machine, StateIndex, builder::Any};
use crate::template::substitute;

/// The refusal of a call. Its [`Display`](fmt::Display) is the text that the agent reads:
///
/// - In the start state: the sentence of the guidance document, word for word.
/// - In a later state: a sentence that names the tools that lead to the refused tool. It does not order a call.
/// - If the author wrote a sentence: that sentence instead.
///
/// The state's own text follows. A tool that the author marked as destructive is never named.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub struct Refusal {
    /// The refused tool.
    pub tool: Box<str>,
    /// The name of the session's state.
    pub state: Box<str>,
    /// The tools of which one must be called first. Empty if no tool leads to a state that allows the refused tool.
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

/// The tools that a refusal can name.
struct Proposal<'m> {
    /// The tools that lead to the refused one.
    first: Vec<&'m str>,
    /// Whether a destructive tool, which is not named, leads to the refused one.
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

    /// Returns the sentence that names the tools that are available now.
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

/// Returns the named tools out of `state` that lead, directly or later, to a state that allows `tool`.
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

/// Returns whether `from`, or a state that it leads to without passing `not_through`, allows `tool`.
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
