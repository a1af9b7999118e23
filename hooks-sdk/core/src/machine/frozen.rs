//! The machine: which tools a state allows, where a call leads, and the machine as data.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};

use super::{
    Edge, MachineBuilder, Refusal, Standard, StateIndex,
    builder::{Any, StateRules},
    tools::Effects,
};

/// A session state machine: immutable, and cheap to clone.
///
/// ```
/// use hooks_sdk::core::machine::{Machine, CallOutcome, State};
///
/// let machine = Machine::builder()
///     .state(State::new("New").start().next("session_init", "Ready"))
///     .state(State::new("Ready").allow_any())
///     .build()?;
/// let new = machine.start();
/// assert_eq!(
///     machine.check(new, "deploy").unwrap_err().to_string(),
///     "Tool \"deploy\" requires session initialization. You MUST call session_init first before using \
///      any other tools. This is a MANDATORY first action."
/// );
/// let step = machine.record(new, "session_init", &Default::default(), CallOutcome::Succeeded);
/// assert_eq!(machine.name(step.to), "Ready");
/// machine.check(step.to, "deploy").unwrap();
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct Machine(Arc<Frozen>);

#[derive(Clone)]
struct Frozen {
    states: Box<[StateRules]>,
    start: StateIndex,
    reset: Box<[Box<str>]>,
    destructive: Box<[Box<str>]>,
    effects: Effects,
}

/// How a call of a tool ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a call succeeded, failed, or has not come to its end"
)]
pub enum CallOutcome {
    /// The tool succeeded.
    Succeeded,
    /// The tool returned an error or panicked, or the call was cancelled.
    Failed,
    /// The call continues as a task, or waits for input.
    Unfinished,
}

/// The effect of a call on its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step<'m> {
    /// The state before the call.
    pub from: StateIndex,
    /// The state after the call.
    pub to: StateIndex,
    /// Whether the call ends the session.
    pub reset: bool,
    /// The text of the entered state; `None` if the state did not change or has no text.
    pub guidance: Option<&'m str>,
}

impl Step<'_> {
    /// Returns whether the state changed.
    pub fn moved(&self) -> bool {
        self.from != self.to
    }
}

impl Machine {
    /// Returns an empty builder.
    pub fn builder() -> MachineBuilder {
        MachineBuilder::default()
    }

    /// Returns a builder of the guidance document's machine, with its four states.
    pub fn standard() -> Standard {
        Standard::default()
    }

    pub(super) fn frozen(
        states: Box<[StateRules]>,
        start: StateIndex,
        reset: Box<[Box<str>]>,
        destructive: Box<[Box<str>]>,
    ) -> Machine {
        let bare = Frozen {
            states,
            start,
            reset,
            destructive,
            effects: Effects::default(),
        };
        let bare = Machine(Arc::new(bare));
        Machine(Arc::new(Frozen {
            effects: Effects::of(&bare),
            ..(*bare.0).clone()
        }))
    }

    /// Adds tools that no refusal names.
    #[must_use]
    pub fn with_destructive<'t>(self, tools: impl IntoIterator<Item = &'t str>) -> Machine {
        let more: Vec<Box<str>> = tools.into_iter().map(Into::into).collect();
        if more.is_empty() {
            return self;
        }
        let known = self.0.destructive.iter().cloned();
        Machine(Arc::new(Frozen {
            destructive: known.chain(more).collect(),
            ..(*self.0).clone()
        }))
    }

    /// Returns whether refusals leave out `tool`, because its author marked it as destructive.
    pub fn is_destructive(&self, tool: &str) -> bool {
        self.0.destructive.iter().any(|each| **each == *tool)
    }

    /// Returns the state in which every session begins.
    pub fn start(&self) -> StateIndex {
        self.0.start
    }

    /// Returns the states, in order.
    pub fn states(&self) -> impl ExactSizeIterator<Item = StateIndex> + '_ {
        (0..self.0.states.len()).map(StateIndex::new)
    }

    /// Returns the state with the name `name`.
    pub fn state(&self, name: &str) -> Option<StateIndex> {
        self.states().find(|&state| self.rules(state).name == name)
    }

    /// Returns the name of a state.
    ///
    /// # Panics
    ///
    /// Panics, like every method that takes a state, if `state` is not a state of this machine.
    pub fn name(&self, state: StateIndex) -> &str {
        &self.rules(state).name
    }

    /// Returns the author's text for the agent in a state; empty if there is none.
    pub fn text(&self, state: StateIndex) -> &str {
        &self.rules(state).text
    }

    /// Checks whether `state` allows `tool`.
    ///
    /// # Errors
    ///
    /// The refusal, which names the tools to call instead.
    pub fn check(&self, state: StateIndex, tool: &str) -> Result<(), Refusal> {
        if self.allows(state, tool) {
            Ok(())
        } else {
            Err(Refusal::of(self, state, tool))
        }
    }

    /// Returns whether `state` allows `tool`; like [`check`](Machine::check), without the reason.
    pub fn allows(&self, state: StateIndex, tool: &str) -> bool {
        let rules = self.rules(state);
        match rules.tool(tool) {
            Some(rule) => rule.allowed,
            None => !matches!(rules.any, Any::Refused),
        }
    }

    /// Returns the effect of a call of `tool` in `state`. Only a successful call changes the state.
    pub fn record(
        &self,
        state: StateIndex,
        tool: &str,
        input: &Map<String, Value>,
        outcome: CallOutcome,
    ) -> Step<'_> {
        let mut step = Step {
            from: state,
            to: state,
            reset: false,
            guidance: None,
        };
        if outcome != CallOutcome::Succeeded {
            return step;
        }
        let taken = |edge: &Edge| edge.guard.as_ref().is_none_or(|guard| guard(input));
        if let Some(edge) = self.edges(state, tool).find(taken) {
            step.to = edge.to;
        }
        step.reset = self.resets(tool);
        if step.moved() {
            step.guidance = Some(self.text(step.to)).filter(|text| !text.is_empty());
        }
        step
    }

    /// Returns the edges that a call of `tool` may take in `state`: its own, or the edge of `any`.
    pub(super) fn edges(&self, state: StateIndex, tool: &str) -> impl Iterator<Item = Edge> {
        let rules = self.rules(state);
        let rule = rules.tool(tool);
        let own = rule.map_or(&[][..], |rule| &rule.edges);
        let any = rules
            .any
            .to()
            .filter(|_| own.is_empty() && rule.is_none_or(|rule| !rule.denied));
        own.iter()
            .cloned()
            .chain(any.map(|to| Edge { guard: None, to }))
    }

    /// Returns the tools that end a session, in the order in which they were added.
    pub fn reset_tools(&self) -> impl Iterator<Item = &str> {
        self.0.reset.iter().map(|tool| &**tool)
    }

    pub(super) fn effects(&self) -> &Effects {
        &self.0.effects
    }

    pub(super) fn each_rules(&self) -> impl Iterator<Item = &StateRules> {
        self.0.states.iter()
    }

    pub(super) fn rules(&self, state: StateIndex) -> &StateRules {
        &self.0.states[state.get()]
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Machine")
            .field(
                &self
                    .states()
                    .map(|state| self.name(state))
                    .collect::<Vec<_>>(),
            )
            .finish()
    }
}

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
