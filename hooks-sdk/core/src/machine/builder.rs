//! The builder that makes a machine from described states, and the rules of one state that it makes.

use std::{borrow::Cow, collections::BTreeMap};

use super::{EdgeGuard, Machine, State, graph};
use crate::{
    BuildErrors,
    macros::{debugs, setters},
};

/// Builds a [`Machine`], state by state.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct MachineBuilder {
    pub(super) states: Vec<State>,
    pub(super) reset: Vec<Cow<'static, str>>,
    pub(super) refusal: Cow<'static, str>,
    pub(super) destructive: Vec<Cow<'static, str>>,
}

impl MachineBuilder {
    setters! {
        /// Adds a state behind the others.
        fn state(mut self, state: State) { self.states.push(state) }

        /// Adds a tool whose success ends the session. The next call finds the session in its start state.
        ///
        /// The tool is allowed in every state but the start, unless a state denies it.
        fn reset(mut self, tool: impl Into<Cow<'static, str>>) { self.reset.push(tool.into()) }

        /// Sets the sentence for a refused tool, in all states without a [`State::refusal`] of their own.
        fn refusal(mut self, sentence: impl Into<Cow<'static, str>>) { self.refusal = sentence.into() }

        /// Adds a tool that no refusal names, wherever it leads.
        fn destructive(mut self, tool: impl Into<Cow<'static, str>>) { self.destructive.push(tool.into()) }
    }

    /// Checks the graph and freezes it.
    ///
    /// # Errors
    ///
    /// All problems at once: no start state or two; an unknown target; a state that cannot be reached, or that
    /// no tool leads out of; a tool that is both allowed and denied; a tool with two edges in one state.
    pub fn build(self) -> Result<Machine, BuildErrors> {
        BuildErrors::check(graph::problems(&self))?;
        Ok(self.freeze())
    }

    /// Freezes the machine without checking its graph. Drops edges to unknown states.
    pub(super) fn freeze(self) -> Machine {
        let index = |name: &str| {
            self.states
                .iter()
                .position(|state| state.name == name)
                .map(StateIndex::new)
        };
        let start = self
            .states
            .iter()
            .position(|state| state.start)
            .unwrap_or_default();
        let states = self.states.iter().enumerate().map(|(at, state)| {
            let mut rules: BTreeMap<&str, Rule> = BTreeMap::new();
            for tool in &state.allow {
                rules.entry(tool).or_default().allowed = true;
            }
            for next in &state.next {
                let rule = rules.entry(&next.tool).or_default();
                rule.allowed = true;
                rule.edges.extend(index(&next.to).map(|to| Edge {
                    guard: next.guard.clone(),
                    to,
                }));
            }
            for tool in &state.deny {
                let rule = rules.entry(tool).or_default();
                (rule.allowed, rule.denied) = (false, true);
            }
            if at != start {
                for tool in &self.reset {
                    let rule = rules.entry(tool).or_default();
                    if !rule.denied && rule.edges.is_empty() {
                        rule.allowed = true;
                        rule.edges.push(Edge {
                            guard: None,
                            to: StateIndex::new(start),
                        });
                    }
                }
            }
            let any = match state.next_any.first().and_then(|to| index(to)) {
                Some(to) => Any::To(to),
                None if state.allow_any => Any::Allowed,
                None => Any::Refused,
            };
            StateRules {
                name: state.name.clone(),
                text: state.text.clone(),
                refusal: match &*state.refusal {
                    "" => self.refusal.clone(),
                    _ => state.refusal.clone(),
                },
                tools: rules
                    .into_iter()
                    .map(|(tool, rule)| (tool.into(), rule))
                    .collect(),
                any,
            }
        });
        Machine::frozen(
            states.collect(),
            StateIndex::new(start),
            self.reset.iter().map(|tool| (&**tool).into()).collect(),
            self.destructive
                .iter()
                .map(|tool| (&**tool).into())
                .collect(),
        )
    }
}

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

debugs!(Edge { to });
