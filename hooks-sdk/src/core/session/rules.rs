//! What holds in one state of a frozen machine.

use std::{borrow::Cow, fmt};

use super::EdgeGuard;

/// A state's place among the machine's states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateIndex(u16);

impl StateIndex {
    /// The state at `index`, counted from 0 in the order they were added.
    ///
    /// # Panics
    ///
    /// Past the 65,535th state, of which a machine cannot have so many.
    pub const fn new(index: usize) -> StateIndex {
        assert!(
            index < u16::MAX as usize,
            "a machine has at most 65534 states"
        );
        StateIndex(index as u16)
    }

    /// The index as a number.
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

/// What holds in one state.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) name: Cow<'static, str>,
    pub(super) text: Cow<'static, str>,
    /// The author's own sentence for refusals; empty when there is none.
    pub(super) refusal: Cow<'static, str>,
    /// Sorted by tool.
    pub(super) tools: Box<[(Box<str>, Rule)]>,
    pub(super) any: Any,
}

/// What holds for one named tool in one state.
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
    /// Decides by the call's input whether the edge is taken.
    pub guard: Option<EdgeGuard>,
    /// The state it leads to.
    pub to: StateIndex,
}

/// What holds for the tools without an edge of their own.
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

impl Rules {
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
