//! The rules about the graph of a session machine, for the derive and for the builder.

use std::borrow::Cow;

/// The name of a state or of a tool.
type Name = Cow<'static, str>;

/// The states of a machine, and the tools that end a session.
#[derive(Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "both sides make it")]
pub struct Graph {
    /// The states, in order.
    pub states: Vec<GraphState>,
    /// The tools that lead to the start state from every other one.
    pub reset: Vec<Name>,
    /// Whether an edge can have a guard.
    pub takes_guards: bool,
}

/// A state, and what it says about tools.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "both sides make it")]
pub struct GraphState {
    /// Its name.
    pub name: Name,
    /// Whether sessions begin in it.
    pub is_start: bool,
    /// The tools that it allows by name.
    pub allow: Vec<Name>,
    /// Whether it allows the tools that it does not name.
    pub allow_any: bool,
    /// The tools that it denies.
    pub deny: Vec<Name>,
    /// The edges out of it.
    pub next: Vec<GraphEdge>,
}

/// An edge out of a state.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "both sides make it")]
pub struct GraphEdge {
    /// The tool that takes it; `None` for the tools without an edge of their own.
    pub tool: Option<Name>,
    /// Whether it depends on the call's input.
    pub is_guarded: bool,
    /// The index of the state where it ends; `None` if there is no such state.
    pub to: Option<usize>,
}

/// A rule that a graph breaks.
#[derive(Debug)]
#[non_exhaustive]
pub struct GraphProblem {
    /// The part that is wrong.
    pub place: GraphPlace,
    /// What is wrong.
    pub message: String,
    /// The one thing that mends it.
    pub help: Cow<'static, str>,
    /// Whether something is missing: the graph may only have been read in part.
    pub is_missing: bool,
}

/// A part of a graph. The first number is the index of a state, and the second one an index in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "both sides have a place for each part"
)]
pub enum GraphPlace {
    /// The whole session.
    Session,
    /// A state.
    State(usize),
    /// The word that makes a state a start state.
    Start(usize),
    /// The list of the tools that a state denies.
    Denies(usize),
    /// One of the tools that a state denies.
    Denied(usize, usize),
    /// The tool of an edge.
    Edge(usize, usize),
}

impl Graph {
    /// Returns every rule that the graph breaks.
    pub fn problems(&self) -> Vec<GraphProblem> {
        let mut found = Vec::new();
        self.starts(&mut found);
        for (at, state) in self.states.iter().enumerate() {
            self.denied(at, state, &mut found);
            self.edges(at, state, &mut found);
            let resets =
                !state.is_start && self.reset.iter().any(|tool| !state.deny.contains(tool));
            if !resets && !state.allow_any && state.next.is_empty() {
                let name = &state.name;
                let message = format!("`{name}` has no way on: a session in it is stuck");
                let help =
                    "add `next(a_tool => State)`, or `allow(any)` if it is where work is done";
                found.push(missing(GraphPlace::State(at), message, help));
            }
        }
        self.unreachable(&mut found);
        found
    }

    fn starts(&self, found: &mut Vec<GraphProblem>) {
        let mut starts = self
            .states
            .iter()
            .enumerate()
            .filter(|(_, state)| state.is_start);
        let Some((_, first)) = starts.next() else {
            let message = "the session has no start state".to_owned();
            let help = "mark the state in which every session begins with `start`";
            found.push(missing(GraphPlace::Session, message, help));
            return;
        };
        found.extend(starts.map(|(at, second)| {
            let message = format!("two start states: `{}` and `{}`", first.name, second.name);
            wrong(
                GraphPlace::Start(at),
                message,
                "leave `start` on one of them",
            )
        }));
    }

    fn denied(&self, at: usize, state: &GraphState, found: &mut Vec<GraphProblem>) {
        let name = &state.name;
        let mut is_contradicted = false;
        for (place, tool) in state.deny.iter().enumerate() {
            let mut edges = state.next.iter();
            if state.allow.contains(tool) || edges.any(|edge| edge.tool.as_ref() == Some(tool)) {
                is_contradicted = true;
                let message = format!("`{tool}` is both allowed and denied in `{name}`");
                let help = "remove it from one of them; a tool with an edge is allowed";
                found.push(wrong(GraphPlace::Denied(at, place), message, help));
            }
        }
        let takes_any = state.allow_any || state.next.iter().any(|edge| edge.tool.is_none());
        let holds_a_reset =
            !state.is_start && state.deny.iter().any(|tool| self.reset.contains(tool));
        if !state.deny.is_empty() && !is_contradicted && !takes_any && !holds_a_reset {
            let message = format!("`deny` without `any`: `{name}` refuses what it does not allow");
            let help = "remove it, or add `allow(any)`";
            found.push(missing(GraphPlace::Denies(at), message, help));
        }
    }

    fn edges(&self, at: usize, state: &GraphState, found: &mut Vec<GraphProblem>) {
        let name = &state.name;
        for (place, edge) in state.next.iter().enumerate() {
            let mut problem =
                |message, help| found.push(wrong(GraphPlace::Edge(at, place), message, help));
            let mut before = state.next[..place].iter();
            let is_second = before.any(|other| other.tool == edge.tool && !other.is_guarded);
            match &edge.tool {
                None if is_second => {
                    let message = format!("two edges for `any` in `{name}`");
                    problem(message, "leave one `next(any => State)`");
                }
                None => {}
                Some(tool) => {
                    if is_second {
                        let message =
                            format!("`{tool}` has a second edge in `{name}` that is never taken");
                        problem(
                            message,
                            match self.takes_guards {
                                true => "remove it, or put a guard on the first",
                                false => "remove it",
                            },
                        );
                    }
                    if self.reset.contains(tool) {
                        let message =
                            format!("`{tool}` resets the session and has an edge in `{name}`");
                        let help = "remove one of them; a reset leads to the start state";
                        problem(message, help);
                    }
                }
            }
        }
    }

    /// While an edge leads to no state, unreachable states are not reported: the author meant one of them.
    fn unreachable(&self, found: &mut Vec<GraphProblem>) {
        let mut edges = self.states.iter().flat_map(|state| &state.next);
        let starts = (0..self.states.len()).filter(|&at| self.states[at].is_start);
        let mut open: Vec<usize> = starts.collect();
        if open.is_empty() || edges.any(|edge| edge.to.is_none()) {
            return;
        }
        let mut reached = vec![false; self.states.len()];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                open.extend(self.states[at].next.iter().filter_map(|edge| edge.to));
            }
        }
        for at in (0..reached.len()).filter(|&at| !reached[at]) {
            let name = &self.states[at].name;
            let message = format!("no transition leads to `{name}`");
            let help = format!("add `next(a_tool => {name})` to a state that should lead here");
            found.push(missing(GraphPlace::State(at), message, help));
        }
    }
}

fn wrong(place: GraphPlace, message: String, help: impl Into<Cow<'static, str>>) -> GraphProblem {
    GraphProblem {
        place,
        message,
        help: help.into(),
        is_missing: false,
    }
}

fn missing(place: GraphPlace, message: String, help: impl Into<Cow<'static, str>>) -> GraphProblem {
    GraphProblem {
        is_missing: true,
        ..wrong(place, message, help)
    }
}
