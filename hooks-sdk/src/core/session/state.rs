//! One state as its author describes it.

use std::{borrow::Cow, fmt, sync::Arc};

use serde_json::{Map, Value};

use crate::core::Origin;

/// Decides by a call's input whether it takes an edge.
pub type EdgeGuard = Arc<dyn Fn(&Map<String, Value>) -> bool + Send + Sync>;

/// A state of the machine: what may be called in it, and which call leads where.
///
/// Whatever is not allowed is refused. `any` stands for the tools without an edge of their own in the state.
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
    /// A state in which nothing is allowed yet.
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

    /// Says where the state was written, when that is not where it was made.
    pub fn at(mut self, origin: Origin) -> State {
        self.origin = origin;
        self
    }

    /// Every session begins here.
    pub fn start(mut self) -> State {
        self.start = true;
        self
    }

    /// What the agent should know here: told by the call that enters the state, and with refusals in it.
    pub fn text(mut self, text: impl Into<Cow<'static, str>>) -> State {
        self.text = text.into();
        self
    }

    /// Sets the sentence that the agent reads when a tool is refused here, in place of the SDK's own sentence.
    ///
    /// `{tool}` stands for the refused tool, `{state}` for this state, and `{first}` for the tools that
    /// lead to one in which it is allowed.
    pub fn refusal(mut self, sentence: impl Into<Cow<'static, str>>) -> State {
        self.refusal = sentence.into();
        self
    }

    /// Allows a tool, which moves nothing unless it has an edge too.
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

    /// Allows a tool whose success leads to `to` when the call's input passes `guard`.
    ///
    /// The edges of one tool are tried in the order they were added; when none is taken, nothing moves.
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

    /// Allows every tool that is not denied, and lets those without an edge of their own lead to `to`.
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
