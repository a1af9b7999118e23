//! A state as its author describes it.

use std::{borrow::Cow, fmt, sync::Arc};

use serde_json::{Map, Value};

use crate::Origin;

/// Decides by a call's input whether the call takes an edge.
pub type EdgeGuard = Arc<dyn Fn(&Map<String, Value>) -> bool + Send + Sync>;

/// A state of a machine: the tools that it allows, and where their calls lead.
///
/// A tool that is not allowed is refused. `any` stands for the tools without an edge of their own in the state.
#[derive(Clone)]
#[must_use]
pub struct State {
    pub(super) name: Cow<'static, str>,
    pub(super) origin: Origin,
    pub(super) start: bool,
    pub(super) text: Cow<'static, str>,
    pub(super) refusal: Cow<'static, str>,
    pub(super) allow: Vec<Cow<'static, str>>,
    pub(super) allow_any: bool,
    pub(super) deny: Vec<Cow<'static, str>>,
    pub(super) next: Vec<Next>,
    pub(super) next_any: Vec<Cow<'static, str>>,
}

/// An edge out of a state.
#[derive(Clone)]
pub(super) struct Next {
    pub(super) tool: Cow<'static, str>,
    pub(super) guard: Option<EdgeGuard>,
    pub(super) to: Cow<'static, str>,
}

impl State {
    /// Makes a state that allows no tool.
    #[track_caller]
    pub fn new(name: impl Into<Cow<'static, str>>) -> State {
        State {
            name: name.into(),
            origin: Origin::here(),
            start: false,
            text: Cow::Borrowed(""),
            refusal: Cow::Borrowed(""),
            allow: Vec::new(),
            allow_any: false,
            deny: Vec::new(),
            next: Vec::new(),
            next_any: Vec::new(),
        }
    }

    /// Sets where the state was written, if that is not where this value was made.
    pub fn at(mut self, origin: Origin) -> State {
        self.origin = origin;
        self
    }

    /// Makes this the start state, in which every session begins.
    pub fn start(mut self) -> State {
        self.start = true;
        self
    }

    /// Sets the text for the agent. It is added to the result of the call that enters the state, and to every
    /// refusal in the state.
    pub fn text(mut self, text: impl Into<Cow<'static, str>>) -> State {
        self.text = text.into();
        self
    }

    /// Sets the sentence for a tool that is refused in this state, in place of the SDK's sentence.
    ///
    /// `{tool}` is replaced by the refused tool, `{state}` by this state, and `{first}` by the tools that lead to
    /// a state in which the refused tool is allowed.
    pub fn refusal(mut self, sentence: impl Into<Cow<'static, str>>) -> State {
        self.refusal = sentence.into();
        self
    }

    /// Allows a tool. Its calls do not change the state, unless it also has an edge.
    pub fn allow(mut self, tool: impl Into<Cow<'static, str>>) -> State {
        self.allow.push(tool.into());
        self
    }

    /// Allows every tool that is not denied.
    pub fn allow_any(mut self) -> State {
        self.allow_any = true;
        self
    }

    /// Refuses a tool that `any` would allow.
    pub fn deny(mut self, tool: impl Into<Cow<'static, str>>) -> State {
        self.deny.push(tool.into());
        self
    }

    /// Allows a tool whose success leads to the state `to`.
    pub fn next(
        mut self,
        tool: impl Into<Cow<'static, str>>,
        to: impl Into<Cow<'static, str>>,
    ) -> State {
        self.next.push(Next {
            tool: tool.into(),
            guard: None,
            to: to.into(),
        });
        self
    }

    /// Allows a tool whose success leads to `to` if `guard` accepts the call's input.
    ///
    /// The edges of one tool are tried in the order in which they were added. If no guard accepts, the state stays.
    pub fn next_if(
        mut self,
        tool: impl Into<Cow<'static, str>>,
        guard: impl Fn(&Map<String, Value>) -> bool + Send + Sync + 'static,
        to: impl Into<Cow<'static, str>>,
    ) -> State {
        self.next.push(Next {
            tool: tool.into(),
            guard: Some(Arc::new(guard)),
            to: to.into(),
        });
        self
    }

    /// Allows every tool that is not denied. The success of a tool without an edge of its own leads to `to`.
    pub fn next_any(mut self, to: impl Into<Cow<'static, str>>) -> State {
        self.next_any.push(to.into());
        self
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("name", &self.name)
            .field("origin", &format_args!("{}", self.origin))
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}
