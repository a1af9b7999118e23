//! The four states of the guidance document, ready to use.

use std::borrow::Cow;

use super::{Machine, State};
use crate::core::BuildErrors;

/// The tool that opens a session unless the author names another.
pub const OPENING_TOOL: &str = "session_init";

pub(super) const UNINITIALIZED: &str = "uninitialized";
pub(super) const INITIALIZED: &str = "initialized";
pub(super) const READY: &str = "ready";
pub(super) const WORKING: &str = "working";
pub(super) const GUIDANCE: &str = "Session initialized. Ready to work.";

/// The document's machine: `uninitialized`, `initialized`, `ready` and `working`.
///
/// Before initialization every tool but the opening ones is refused; after it every tool is allowed, and
/// the first one that is neither an opening tool nor the ready tool begins the work. Without a ready tool
/// there is no state `ready`.
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
    /// A tool that initializes the session, instead of [`OPENING_TOOL`]; more than one may do so.
    pub fn opening(mut self, tool: impl Into<Cow<'static, str>>) -> Standard {
        self.opening.push(tool.into());
        self
    }

    /// The tool after which the session is `ready`: the document's "reporting checked".
    pub fn ready(mut self, tool: impl Into<Cow<'static, str>>) -> Standard {
        self.ready = Some(tool.into());
        self
    }

    /// A tool that is allowed before initialization too, and begins no work.
    pub fn allow(mut self, tool: impl Into<Cow<'static, str>>) -> Standard {
        self.allowed.push(tool.into());
        self
    }

    /// Refuses before initialization only the tools given so: the reference's listed-tools mode.
    pub fn only(mut self, tool: impl Into<Cow<'static, str>>) -> Standard {
        self.listed.get_or_insert_default().push(tool.into());
        self
    }

    /// A tool that ends the session.
    pub fn reset(mut self, tool: impl Into<Cow<'static, str>>) -> Standard {
        self.reset.push(tool.into());
        self
    }

    /// Builds the machine.
    ///
    /// # Errors
    ///
    /// One tool in two roles.
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

    /// A state in which no work has begun.
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
