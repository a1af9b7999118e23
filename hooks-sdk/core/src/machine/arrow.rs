//! A machine as data: the arrows between its states, and the tools that each state allows.

use super::{Machine, StateIndex, rules::Any};

/// One way from a state to another state, or back to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrow<'m> {
    /// The state where it begins.
    pub from: StateIndex,
    /// The state where it ends.
    pub to: StateIndex,
    /// The tool whose success takes this arrow; `None` for the tools without an edge of their own.
    pub tool: Option<&'m str>,
    /// Whether the arrow depends on the call's input.
    pub guarded: bool,
}

impl Machine {
    /// Returns the arrows out of `state`. Those of named tools are sorted by name.
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

    /// Returns the tools that `state` names and allows without an edge.
    pub fn allowed(&self, state: StateIndex) -> impl Iterator<Item = &str> {
        let still = self
            .rules(state)
            .tools
            .iter()
            .filter(|(_, rule)| rule.allowed && rule.edges.is_empty());
        still.map(|(tool, _)| &**tool)
    }

    /// Returns the tools that `state` denies.
    pub fn denied(&self, state: StateIndex) -> impl Iterator<Item = &str> {
        self.rules(state)
            .tools
            .iter()
            .filter(|(_, rule)| rule.denied)
            .map(|(tool, _)| &**tool)
    }

    /// Returns whether `state` allows the tools that it does not name.
    pub fn allows_any(&self, state: StateIndex) -> bool {
        !matches!(self.rules(state).any, Any::Refused)
    }
}
