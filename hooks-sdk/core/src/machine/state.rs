//! A state as its author describes it.

use std::{borrow::Cow, sync::Arc};

use serde_json::{Map, Value};

use crate::{
    Origin,
    macros::{debugs, setters},
};

/// Decides by a call's input whether the call takes an edge.
pub type EdgeGuard = Arc<dyn Fn(&Map<String, Value>) -> bool + Send + Sync>;

/// A state of a machine: the tools that it allows, and where their calls lead.
///
/// A tool that is not allowed is refused. `any` stands for the tools without an edge of their own in the state.
///
/// ```
/// use hooks_sdk::session::{Machine, State};
///
/// let machine = Machine::builder()
///     .state(State::new("new").start().next("session_init", "ready"))
///     .state(State::new("ready").allow_any())
///     .build()?;
/// assert!(!machine.allows(machine.start(), "add_note"));
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
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

    setters! {
        /// Sets where the state was written, if that is not where this value was made.
        fn at(mut self, origin: Origin) { self.origin = origin }

        /// Makes this the start state, in which every session begins.
        fn start(mut self) { self.start = true }

        /// Sets the text for the agent. It is added to the result of the call that enters the state, and to every
        /// refusal in the state.
        fn text(mut self, text: impl Into<Cow<'static, str>>) { self.text = text.into() }

        /// Sets the sentence for a tool that is refused in this state, in place of the SDK's sentence.
        ///
        /// `{tool}` is replaced by the refused tool, `{state}` by this state, and `{first}` by the tools that lead to
        /// a state in which the refused tool is allowed.
        fn refusal(mut self, sentence: impl Into<Cow<'static, str>>) { self.refusal = sentence.into() }

        /// Allows a tool. Its calls do not change the state, unless it also has an edge.
        fn allow(mut self, tool: impl Into<Cow<'static, str>>) { self.allow.push(tool.into()) }

        /// Allows every tool that is not denied.
        fn allow_any(mut self) { self.allow_any = true }

        /// Refuses a tool that `any` would allow.
        fn deny(mut self, tool: impl Into<Cow<'static, str>>) { self.deny.push(tool.into()) }

        /// Allows a tool whose success leads to the state `to`.
        fn next(mut self, tool: impl Into<Cow<'static, str>>, to: impl Into<Cow<'static, str>>) {
            self.next.push(Next { tool: tool.into(), guard: None, to: to.into() });
        }

        /// Allows a tool whose success leads to `to` if `guard` accepts the call's input.
        ///
        /// The edges of one tool are tried in the order in which they were added. If no guard accepts, the state stays.
        fn next_if(
            mut self,
            tool: impl Into<Cow<'static, str>>,
            guard: impl Fn(&Map<String, Value>) -> bool + Send + Sync + 'static,
            to: impl Into<Cow<'static, str>>
        ) {
            self.next.push(Next { tool: tool.into(), guard: Some(Arc::new(guard)), to: to.into() });
        }

        /// Allows every tool that is not denied. The success of a tool without an edge of its own leads to `to`.
        fn next_any(mut self, to: impl Into<Cow<'static, str>>) { self.next_any.push(to.into()) }
    }
}

debugs!(State {
    name,
    origin,
    start
});
