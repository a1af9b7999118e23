//! The session machine of the guidance document, with its four states.

use std::borrow::Cow;

use super::{Machine, MachineBuilder, State};
use crate::{
    BuildErrors,
    macros::{setters, words},
};

/// The default opening tool.
pub const OPENING_TOOL: &str = "session_init";

const UNINITIALIZED: &str = "uninitialized";
const INITIALIZED: &str = "initialized";
const READY: &str = "ready";
const WORKING: &str = "working";
const GUIDANCE: &str = "Session initialized. Ready to work.";

/// Builds the document's machine, with the states `uninitialized`, `initialized`, `ready` and `working`.
///
/// Before initialization, every tool but the opening tools is refused. After it, every tool is allowed. The first
/// tool that is neither an opening tool nor the ready tool leads to `working`. The machine has the state `ready`
/// only if a ready tool is set.
///
/// ```
/// use hooks_sdk::core::machine::Machine;
///
/// let machine = Machine::standard().ready("check_reports").build()?;
/// let names: Vec<&str> = machine.states().map(|state| machine.name(state)).collect();
/// assert_eq!(names, ["uninitialized", "initialized", "ready", "working"]);
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Standard {
    opening: Vec<Cow<'static, str>>,
    ready: Option<Cow<'static, str>>,
    allowed: Vec<Cow<'static, str>>,
    listed: Option<Vec<Cow<'static, str>>>,
    reset: Vec<Cow<'static, str>>,
}

impl Standard {
    setters! {
        /// Adds a tool that initializes the session, in place of [`OPENING_TOOL`]. There may be several.
        fn opening(mut self, tool: impl Into<Cow<'static, str>>) { self.opening.push(tool.into()) }

        /// Sets the ready tool, whose success leads to `ready`: the document's "reporting checked".
        fn ready(mut self, tool: impl Into<Cow<'static, str>>) { self.ready = Some(tool.into()) }

        /// Adds a tool that is also allowed before initialization, and that does not lead to `working`.
        fn allow(mut self, tool: impl Into<Cow<'static, str>>) { self.allowed.push(tool.into()) }

        /// Adds a tool that is refused before initialization. All others are then allowed, as in the reference
        /// implementation's listed-tools mode.
        fn only(mut self, tool: impl Into<Cow<'static, str>>) { self.listed.get_or_insert_default().push(tool.into()) }

        /// Adds a tool that ends the session.
        fn reset(mut self, tool: impl Into<Cow<'static, str>>) { self.reset.push(tool.into()) }
    }

    /// Builds the machine.
    ///
    /// # Errors
    ///
    /// A tool has two roles.
    #[track_caller]
    pub fn build(mut self) -> Result<Machine, BuildErrors> {
        if self.opening.is_empty() {
            self.opening.push(Cow::Borrowed(OPENING_TOOL));
        }
        let mut builder = Machine::builder()
            .state(self.uninitialized())
            .state(self.at_rest(INITIALIZED).text(GUIDANCE));
        if self.ready.is_some() {
            builder = builder.state(self.at_rest(READY));
        }
        builder = builder.state(self.leading_on(State::new(WORKING).allow_any()));
        for tool in self.reset {
            builder = builder.reset(tool);
        }
        builder.build()
    }

    #[track_caller]
    fn uninitialized(&self) -> State {
        let mut state = State::new(UNINITIALIZED).start();
        for tool in &self.opening {
            state = state.next(tool.clone(), INITIALIZED);
        }
        for tool in &self.allowed {
            state = state.allow(tool.clone());
        }
        if let Some(listed) = &self.listed {
            state = state.allow_any();
            for tool in listed.iter().filter(|tool| !self.opening.contains(tool)) {
                state = state.deny(tool.clone());
            }
        }
        state
    }

    /// Makes a state before `working`.
    #[track_caller]
    fn at_rest(&self, name: &'static str) -> State {
        let mut state = State::new(name).next_any(WORKING);
        for tool in &self.allowed {
            state = state.next(tool.clone(), name);
        }
        self.leading_on(state)
    }

    fn leading_on(&self, mut state: State) -> State {
        for tool in &self.opening {
            state = state.next(tool.clone(), INITIALIZED);
        }
        if let Some(tool) = &self.ready {
            state = state.next(tool.clone(), READY);
        }
        state
    }
}

/// The configuration of the reference implementation: lists of tools instead of a graph.
///
/// - Before initialization, a tool that requires initialization is refused, unless it is an init tool. Every
///   other tool is allowed.
/// - A trigger leads to its state from every other state.
/// - After initialization, the first call of any other tool leads to `working`.
///
/// ```
/// use hooks_sdk::session::{Listing, StandardState};
///
/// let listing = Listing::default().init_tool("session_init").requires_init("add_note");
/// assert_eq!(StandardState::ALL[0].as_str(), "uninitialized");
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Listing {
    init: Vec<String>,
    requires_init: Vec<String>,
    triggers: Vec<(String, StandardState)>,
}

words! {
    /// A state of the guidance document's sessions.
    ///
    /// ```
    /// use hooks_sdk::session::StandardState;
    ///
    /// assert_eq!(StandardState::Working.as_str(), "working");
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[expect(clippy::exhaustive_enums, reason = "the document has four states")]
    pub enum StandardState, ALL: "Returns the document's word for the state." {
        /// `uninitialized`: the session has just begun.
        Uninitialized = UNINITIALIZED,
        /// `initialized`: the opening tool has succeeded.
        Initialized = INITIALIZED,
        /// `ready`: the agent has checked the reports.
        Ready = READY,
        /// `working`: the work has begun.
        Working = WORKING,
    }
}

impl Listing {
    setters! {
        /// Adds a tool that is never refused, and that does not lead to `working`.
        fn init_tool(mut self, tool: impl Into<String>) { self.init.push(tool.into()) }

        /// Adds a tool that is refused before initialization.
        fn requires_init(mut self, tool: impl Into<String>) { self.requires_init.push(tool.into()) }

        /// Adds a trigger: a tool that leads to a state. The last trigger of a tool counts.
        fn trigger(mut self, tool: impl Into<String>, state: StandardState) {
            let tool = tool.into();
            self.triggers.retain(|(each, _)| *each != tool);
            self.triggers.push((tool, state));
        }
    }

    /// Makes the machine, without checking its graph.
    pub fn machine(&self) -> Machine {
        let states = StandardState::ALL.iter().map(|at| self.state(*at));
        states
            .fold(Machine::builder(), MachineBuilder::state)
            .freeze()
    }

    fn state(&self, at: StandardState) -> State {
        let mut state = State::new(at.as_str());
        for (tool, to) in self.triggers.iter().filter(|(_, to)| *to != at) {
            state = state.next(tool.clone(), to.as_str());
        }
        match at {
            StandardState::Uninitialized => {
                state = state.start().allow_any();
                for tool in self
                    .requires_init
                    .iter()
                    .filter(|tool| !self.init.contains(tool))
                {
                    state = state.deny(tool.clone());
                }
            }
            StandardState::Initialized | StandardState::Ready => {
                state = state.next_any(WORKING);
                let leads_out = |tool: &&String| {
                    self.triggers
                        .iter()
                        .any(|(each, to)| each == *tool && *to != at)
                };
                for tool in self.init.iter().filter(|tool| !leads_out(tool)) {
                    state = state.next(tool.clone(), at.as_str());
                }
            }
            StandardState::Working => state = state.allow_any(),
        }
        if at == StandardState::Initialized {
            state.text(GUIDANCE)
        } else {
            state
        }
    }
}
