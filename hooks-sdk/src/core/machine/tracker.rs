//! The document's session tracker, for one session in one place: `checkToolAllowed` and `recordToolCall`.

use std::time::SystemTime;

use serde_json::{Map, Value};

use super::{
    Machine, Outcome, Refusal, State, StateIndex,
    standard::{GUIDANCE, INITIALIZED, READY, UNINITIALIZED, WORKING},
};

/// The state of one session, kept where it is.
///
/// Servers with many sessions keep them in a store, which the adapter does by itself.
#[derive(Clone, Debug)]
pub struct Tracker {
    machine: Machine,
    state: StateIndex,
    initialized_at: Option<SystemTime>,
    session_id: Option<String>,
    request_id: Option<String>,
}

/// What recording a call changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transition {
    /// The state before the call.
    pub previous: Box<str>,
    /// The state after it.
    pub new: Box<str>,
    /// Whether the two differ.
    pub transitioned: bool,
    /// What the agent should be told; only the call that opens the session has something to tell.
    pub guidance: Option<Box<str>>,
}

impl Tracker {
    /// A session at the machine's start.
    pub fn new(machine: Machine) -> Tracker {
        let state = machine.start();
        Tracker {
            machine,
            state,
            initialized_at: None,
            session_id: None,
            request_id: None,
        }
    }

    /// Before a tool runs: whether it may.
    ///
    /// # Errors
    ///
    /// The refusal, whose text is a directive for the agent.
    pub fn check(&mut self, tool: &str, request_id: Option<&str>) -> Result<(), Refusal> {
        self.keep(request_id);
        self.machine.check(self.state, tool)
    }

    /// After a tool succeeded: moves the session on.
    pub fn record(
        &mut self,
        tool: &str,
        input: &Map<String, Value>,
        request_id: Option<&str>,
    ) -> Transition {
        self.keep(request_id);
        let step = self
            .machine
            .record(self.state, tool, input, Outcome::Succeeded);
        let opened = step.moved() && step.from == self.machine.start();
        if opened && self.machine.name(step.to) == INITIALIZED {
            self.initialized_at = Some(SystemTime::now());
        }
        let transition = Transition {
            previous: self.machine.name(step.from).into(),
            new: self.machine.name(step.to).into(),
            transitioned: step.moved(),
            guidance: step.guidance.filter(|_| opened).map(Into::into),
        };
        let reset = step.reset;
        self.state = step.to;
        if reset {
            self.reset();
        }
        transition
    }

    /// Puts the session back to its start, and forgets its ids.
    pub fn reset(&mut self) {
        *self = Tracker::new(self.machine.clone());
    }

    /// The name of the session's state.
    pub fn state(&self) -> &str {
        self.machine.name(self.state)
    }

    /// Whether the session has left its start state.
    pub fn is_initialized(&self) -> bool {
        self.state != self.machine.start()
    }

    /// When the session was last initialized.
    pub fn initialized_at(&self) -> Option<SystemTime> {
        self.initialized_at
    }

    /// The session's id.
    pub fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// Gives the session an id.
    pub fn set_session_id(&mut self, id: impl Into<String>) {
        self.session_id = Some(id.into());
    }

    /// The id of the last request that had one.
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    fn keep(&mut self, request_id: Option<&str>) {
        if let Some(id) = request_id.filter(|id| !id.is_empty()) {
            self.request_id = Some(id.to_owned());
        }
    }
}

/// The reference implementation's own configuration: lists of tools instead of a graph.
///
/// A tool that requires initialization is refused before it, unless it is an init tool; every other tool
/// is allowed. A trigger leads to its state from every other one; the first call after initialization that
/// is neither begins the work.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Listing {
    init: Vec<String>,
    requires_init: Vec<String>,
    triggers: Vec<(String, StandardState)>,
}

/// A state of the guidance document's sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the document has four states")]
pub enum StandardState {
    /// `uninitialized`: nothing has happened yet.
    Uninitialized,
    /// `initialized`: the opening tool has succeeded.
    Initialized,
    /// `ready`: reporting was checked.
    Ready,
    /// `working`: the work has begun.
    Working,
}

impl StandardState {
    /// Every state, in the document's order.
    pub const ALL: [StandardState; 4] = [
        StandardState::Uninitialized,
        StandardState::Initialized,
        StandardState::Ready,
        StandardState::Working,
    ];

    /// The document's word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            StandardState::Uninitialized => UNINITIALIZED,
            StandardState::Initialized => INITIALIZED,
            StandardState::Ready => READY,
            StandardState::Working => WORKING,
        }
    }
}

impl Listing {
    /// A tool that is never refused, and begins no work.
    pub fn init_tool(mut self, tool: impl Into<String>) -> Listing {
        self.init.push(tool.into());
        self
    }

    /// A tool that is refused before initialization.
    pub fn requires_init(mut self, tool: impl Into<String>) -> Listing {
        self.requires_init.push(tool.into());
        self
    }

    /// A tool that leads to a state. Given twice for one tool, the last counts.
    pub fn trigger(mut self, tool: impl Into<String>, state: StandardState) -> Listing {
        let tool = tool.into();
        self.triggers.retain(|(each, _)| *each != tool);
        self.triggers.push((tool, state));
        self
    }

    /// The machine that behaves so; its graph is taken as it comes.
    pub fn machine(&self) -> Machine {
        StandardState::ALL
            .into_iter()
            .fold(Machine::builder(), |builder, at| {
                builder.state(self.state(at))
            })
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
