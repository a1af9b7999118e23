//! The effects of each tool over all states, computed once.

use super::{Edge, Machine, StateIndex};

/// The possible effects of each tool, over all states.
#[derive(Clone, Default)]
pub(super) struct Effects {
    /// The effects of named tools, sorted by name.
    named: Box<[(Box<str>, Effect)]>,
    others: Effect,
}

#[derive(Clone, Copy, Default)]
struct Effect {
    guards: bool,
    moves: bool,
    reads_input: bool,
}

impl Effects {
    pub(super) fn of(machine: &Machine) -> Effects {
        let named = machine.tools().into_iter();
        Effects {
            named: named
                .map(|tool| (tool.into(), Effect::of(machine, tool)))
                .collect(),
            // No tool has an empty name, so these are the effects of a tool that the machine does not name.
            others: Effect::of(machine, ""),
        }
    }

    fn get(&self, tool: &str) -> Effect {
        let at = self.named.binary_search_by(|(name, _)| (**name).cmp(tool));
        at.map_or(self.others, |at| self.named[at].1)
    }
}

impl Effect {
    fn of(machine: &Machine, tool: &str) -> Effect {
        let start = machine.start();
        let resets = machine.resets(tool);
        let differs = |state| machine.may_move(state, tool) || !machine.allows(state, tool);
        Effect {
            guards: resets
                || !machine.allows(start, tool)
                || machine
                    .states()
                    .any(|state| state != start && differs(state)),
            moves: resets || machine.states().any(|state| machine.may_move(state, tool)),
            reads_input: machine
                .states()
                .any(|state| machine.edges(state, tool).any(|edge| edge.guard.is_some())),
        }
    }
}

impl Machine {
    /// Returns whether `tool` is guarded: some state refuses it, or it changes the state of an open session.
    ///
    /// Only the calls of guarded tools need a session.
    pub fn guards(&self, tool: &str) -> bool {
        self.effects().get(tool).guards
    }

    /// Returns whether a call of `tool` may change the state, or end the session, in some state.
    pub fn ever_moves(&self, tool: &str) -> bool {
        self.effects().get(tool).moves
    }

    /// Returns whether some edge of `tool` depends on the call's input.
    pub fn reads_input(&self, tool: &str) -> bool {
        self.effects().get(tool).reads_input
    }

    /// Returns whether a call of `tool` in `state` may change the state.
    pub fn may_move(&self, state: StateIndex, tool: &str) -> bool {
        self.edges(state, tool).any(|edge| edge.to != state)
    }

    /// Returns whether the order of two calls that both began in `state` makes no difference: both lead to the
    /// same state, whatever their input, and stay there.
    ///
    /// The order of calls in the start state always matters, because the second may rely on the first.
    pub fn interchangeable(&self, state: StateIndex, one: &str, other: &str) -> bool {
        let Some(there) = self.landing(state, one) else {
            return false;
        };
        state != self.start()
            && self.landing(state, other) == Some(there)
            && self.landing(there, one) == Some(there)
            && self.landing(there, other) == Some(there)
    }

    /// Returns where a successful call leads for certain; `None` if that depends on its input, if it ends the
    /// session, or if it is refused.
    fn landing(&self, from: StateIndex, tool: &str) -> Option<StateIndex> {
        if !self.allows(from, tool) || self.resets(tool) {
            return None;
        }
        match self.edges(from, tool).next() {
            None => Some(from),
            Some(Edge { guard: None, to }) => Some(to),
            Some(_) => None,
        }
    }

    /// Returns whether a successful call of `tool` ends the session.
    pub fn resets(&self, tool: &str) -> bool {
        self.reset_tools().any(|each| each == tool)
    }

    /// Returns whether `tool` has an edge of its own that leads to another state, or ends the session.
    pub fn moves_by_name(&self, tool: &str) -> bool {
        self.resets(tool)
            || self
                .states()
                .any(|state| self.ways_on(state).any(|(each, _)| each == tool))
    }

    /// Returns the opening tools: those with an edge out of the start state.
    pub fn opening_tools(&self) -> impl Iterator<Item = &str> {
        self.ways_on(self.start()).map(|(tool, _)| tool)
    }

    /// Returns whether the machine names `tool`.
    pub fn names(&self, tool: &str) -> bool {
        self.each_rules().any(|rules| rules.tool(tool).is_some()) || self.resets(tool)
    }

    /// Returns every tool that the machine names, sorted.
    pub fn tools(&self) -> Vec<&str> {
        let named = self
            .each_rules()
            .flat_map(|rules| rules.tools.iter().map(|(tool, _)| &**tool));
        let mut all: Vec<&str> = named.chain(self.reset_tools()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the states that some call leads to from `state`.
    pub(super) fn leads_to(&self, state: StateIndex) -> impl Iterator<Item = StateIndex> {
        let rules = self.rules(state);
        let own = rules
            .tools
            .iter()
            .flat_map(|(_, rule)| rule.edges.iter().map(|edge| edge.to));
        own.chain(rules.any.to())
    }

    /// Returns the named tools that lead out of `state`, each with its edges.
    pub(super) fn ways_on(&self, state: StateIndex) -> impl Iterator<Item = (&str, &[Edge])> {
        self.rules(state)
            .tools
            .iter()
            .filter_map(move |(tool, rule)| {
                let leads_out = rule.allowed && rule.edges.iter().any(|edge| edge.to != state);
                leads_out.then_some((&**tool, &rule.edges[..]))
            })
    }
}
