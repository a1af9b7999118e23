//! The rules of one state of a machine.

use std::{borrow::Cow, fmt};

use super::EdgeGuard;

/// The index of a state in its machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateIndex(u16);

impl StateIndex {
    /// Makes an index, counted from 0 in the order in which the states were added.
    ///
    /// # Panics
    ///
    /// Panics if `index` is 65,535 or more: a machine has at most 65,534 states.
    pub const fn new(index: usize) -> StateIndex {
        assert!(
            index < u16::MAX as usize,
            "a machine has at most 65534 states"
        );
        StateIndex(index as u16)
    }

    /// Returns the index as a number.
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

/// The rules of one state.
#[derive(Clone)]
pub(super) struct StateRules {
    pub(super) name: Cow<'static, str>,
    pub(super) text: Cow<'static, str>,
    /// The author's sentence for refusals; empty if there is none.
    pub(super) refusal: Cow<'static, str>,
    /// Sorted by tool.
    pub(super) tools: Box<[(Box<str>, Rule)]>,
    pub(super) any: Any,
}

/// The rule for one named tool in one state.
#[derive(Clone, Default)]
pub(super) struct Rule {
    pub(super) allowed: bool,
    pub(super) denied: bool,
    pub(super) edges: Vec<Edge>,
}

/// An edge out of a state.
#[derive(Clone)]
#[non_exhaustive]
pub struct Edge {
    /// Decides by the call's input whether the call takes the edge.
    pub guard: Option<EdgeGuard>,
    /// The state where the edge ends.
    pub to: StateIndex,
}

/// The rule for the tools without an edge of their own.
#[derive(Clone, Copy)]
pub(super) enum Any {
    Refused,
    Allowed,
    To(StateIndex),
}

impl Any {
    pub(super) fn to(self) -> Option<StateIndex> {
        match self {
            Any::To(to) => Some(to),
            Any::Refused | Any::Allowed => None,
        }
    }
}

impl StateRules {
    pub(super) fn tool(&self, tool: &str) -> Option<&Rule> {
        let at = self
            .tools
            .binary_search_by(|(name, _)| (**name).cmp(tool))
            .ok()?;
        Some(&self.tools[at].1)
    }
}

impl fmt::Debug for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Edge")
            .field("guarded", &self.guard.is_some())
            .field("to", &self.to)
            .finish()
    }
}
