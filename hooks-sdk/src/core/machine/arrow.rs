//! The machine as its readers see it: arrows between states, and what each state allows.

use super::{Machine, StateIndex, rules::Any};

/// One way from a state to another, or back to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrow<'m> {
    /// The state it leaves.
    pub from: StateIndex,
    /// The state it leads to.
    pub to: StateIndex,
    /// The tool whose success takes it; `None` for every tool without an edge of its own.
    pub tool: Option<&'m str>,
    /// Whether it depends on the call's input.
    pub guarded: bool,
}

impl Machine {
    /// The arrows out of `state`, those of named tools in the order of their names.
    pub fn arrows(&self, state: StateIndex) -> impl Iterator<Item = Arrow<'_>> {
        let rules = self.rules(state);
        let named = rules
            .tools
            .iter()
            .filter(|(_, rule)| rule.allowed)
            .flat_map(move |(tool, rule)| {
                rule.edges.iter().map(move |edge| Arrow {
                    from: state,
                    to: edge.to,
                    tool: Some(tool),
                    guarded: edge.guard.is_some(),
                })
            });
        let any = rules.any.to().map(|to| Arrow {
            from: state,
            to,
            tool: None,
            guarded: false,
        });
        named.chain(any)
    }

    /// The tools that `state` names and allows without an edge.
    pub fn allowed(&self, state: StateIndex) -> impl Iterator<Item = &str> {
        let still = self
            .rules(state)
            .tools
            .iter()
            .filter(|(_, rule)| rule.allowed && rule.edges.is_empty());
        still.map(|(tool, _)| &**tool)
    }

    /// The tools that `state` denies.
    pub fn denied(&self, state: StateIndex) -> impl Iterator<Item = &str> {
        self.rules(state)
            .tools
            .iter()
            .filter(|(_, rule)| rule.denied)
            .map(|(tool, _)| &**tool)
    }

    /// Whether `state` allows the tools that it does not name.
    pub fn allows_any(&self, state: StateIndex) -> bool {
        !matches!(self.rules(state).any, Any::Refused)
    }
}
