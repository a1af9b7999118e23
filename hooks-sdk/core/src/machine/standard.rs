//! The session machine of the guidance document, with its four states.

use std::borrow::Cow;

use super::{Machine, State};
use crate::{BuildErrors, macros::setters};

/// The default opening tool.
pub const OPENING_TOOL: &str = "session_init";

pub(super) const UNINITIALIZED: &str = "uninitialized";
pub(super) const INITIALIZED: &str = "initialized";
pub(super) const READY: &str = "ready";
pub(super) const WORKING: &str = "working";
pub(super) const GUIDANCE: &str = "Session initialized. Ready to work.";

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
