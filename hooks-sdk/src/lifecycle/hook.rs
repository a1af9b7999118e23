//! One lifecycle hook as its author wrote it.

use std::{any::Any, borrow::Cow, time::Duration};

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::{
    Answer, Answering, Declaration, Event, HookContent, LifecycleInput, LifecyclePoint, Matcher,
    Priority, Variables, point,
};
use crate::core::{self, AnyCallback, Guard, OnFailure, Origin, Owner};

/// A lifecycle hook: the part of a [`core::Hook`] that is this room's.
///
/// The attribute [`hook`](macro@super::hook) makes one; these constructors are the explicit way, for
/// generic servers and for those who dislike link-time magic. What the attribute checks at compile time is
/// then checked at start-up by [`problems`](super::problems()).
///
/// ```
/// use hooks_sdk::core::Registry;
/// use hooks_sdk::lifecycle::{LifecycleHook, Matcher, point, priority};
///
/// let after_commit = LifecycleHook::text(
///     "after_commit",
///     point::post_tool_use,
///     priority::suggestion,
///     "You just committed work. What did you learn?",
/// )
/// .matcher(Matcher::new().tool_name("Bash").input_contains("git commit"));
/// let registry = Registry::builder().add(after_commit.into()).build()?;
/// # assert_eq!(registry.iter().len(), 1);
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
#[derive(Debug)]
pub struct LifecycleHook {
    id: Cow<'static, str>,
    event: Event,
    priority: Priority,
    pub(super) matcher: Option<Matcher>,
    pub(super) action: Action,
    pub(super) args: Option<Map<String, Value>>,
    owner: Owner,
    origin: Origin,
}

/// What a hook does when it fires.
#[derive(Debug)]
pub(super) enum Action {
    Text(Cow<'static, str>),
    Tool(Cow<'static, str>),
    Answer(Answering),
}

impl LifecycleHook {
    #[track_caller]
    fn new<P: LifecyclePoint>(
        id: Cow<'static, str>,
        priority: Priority,
        action: Action,
    ) -> LifecycleHook {
        LifecycleHook {
            id,
            event: P::EVENT,
            priority,
            matcher: None,
            action,
            args: None,
            owner: Owner::ANY,
            origin: Origin::here(),
        }
    }

    /// A hook that injects a static text.
    #[track_caller]
    pub fn text<P: LifecyclePoint>(
        id: impl Into<Cow<'static, str>>,
        _point: P,
        priority: Priority,
        text: impl Into<Cow<'static, str>>,
    ) -> LifecycleHook {
        LifecycleHook::new::<P>(id.into(), priority, Action::Text(text.into()))
    }

    /// A hook that injects the result of a tool which the author serves.
    #[track_caller]
    pub fn tool<P: LifecyclePoint>(
        id: impl Into<Cow<'static, str>>,
        _point: P,
        priority: Priority,
        context_tool: impl Into<Cow<'static, str>>,
    ) -> LifecycleHook {
        LifecycleHook::new::<P>(id.into(), priority, Action::Tool(context_tool.into()))
    }

    /// A hook that injects what a function of the server `H` answers; it is served as a tool named `id`.
    #[track_caller]
    pub fn answering<H, P, I, A>(
        id: impl Into<Cow<'static, str>>,
        _point: P,
        priority: Priority,
        answer: impl for<'a> Fn(&'a H, I) -> BoxFuture<'a, A> + Send + Sync + 'static,
    ) -> LifecycleHook
    where
        H: Any + Send + Sync,
        P: LifecyclePoint,
        I: LifecycleInput<P> + Send + 'static,
        A: Answer + 'static,
    {
        let id = id.into();
        let answering = Answering::of_server::<H, P, I, A>(id.clone(), answer);
        LifecycleHook {
            owner: answering.callback.owner(),
            ..LifecycleHook::new::<P>(id, priority, Action::Answer(answering))
        }
    }

    /// A hook that injects what a function of no particular server answers; it is served as a tool named `id`.
    #[track_caller]
    pub fn answering_any<P, I, A>(
        id: impl Into<Cow<'static, str>>,
        _point: P,
        priority: Priority,
        answer: impl Fn(I) -> BoxFuture<'static, A> + Send + Sync + 'static,
    ) -> LifecycleHook
    where
        P: LifecyclePoint,
        I: LifecycleInput<P> + Send + 'static,
        A: Answer + 'static,
    {
        let id = id.into();
        let answering = Answering::of_any::<P, I, A>(id.clone(), answer);
        LifecycleHook::new::<P>(id, priority, Action::Answer(answering))
    }

    /// Narrows when the hook fires; for `pre_tool_use` and `post_tool_use` only.
    #[must_use]
    pub fn matcher(mut self, matcher: Matcher) -> LifecycleHook {
        self.matcher = Some(matcher);
        self
    }

    /// What the context tool is called with; for [`LifecycleHook::tool`] only.
    #[must_use]
    pub fn context_tool_args(mut self, args: Map<String, Value>) -> LifecycleHook {
        self.args = Some(args);
        self
    }

    /// Describes the served tool; without effect on a hook that is not answering.
    #[must_use]
    pub fn description(mut self, description: impl Into<Cow<'static, str>>) -> LifecycleHook {
        if let Action::Answer(answering) = &mut self.action {
            answering.description = Some(description.into());
        }
        self
    }

    /// How long an answering hook may take, 10 s unless said otherwise.
    #[must_use]
    pub fn deadline(self, deadline: Duration) -> LifecycleHook {
        self.guarded(|guard| guard.deadline = deadline)
    }

    /// What happens when an answering hook fails, [`OnFailure::Fail`] unless said otherwise.
    #[must_use]
    pub fn on_failure(self, on_failure: OnFailure) -> LifecycleHook {
        self.guarded(|guard| guard.on_failure = on_failure)
    }

    fn guarded(mut self, change: impl FnOnce(&mut Guard)) -> LifecycleHook {
        if let Action::Answer(answering) = &mut self.action {
            change(answering.callback.guard_mut());
        }
        self
    }

    /// Ties the hook to the server `H`.
    #[must_use]
    pub fn server<H: Any>(mut self) -> LifecycleHook {
        self.owner = Owner::of::<H>();
        self
    }

    /// The hook's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The event at which it fires.
    pub fn event(&self) -> Event {
        self.event
    }

    /// How strongly its server wants the agent to act.
    pub fn priority(&self) -> Priority {
        self.priority
    }

    /// The tool that the hook is served as, if it is an answering one.
    pub fn served(&self) -> Option<&Answering> {
        match &self.action {
            Action::Answer(answering) => Some(answering),
            _ => None,
        }
    }

    /// The author's own tool that the hook calls; `None` for a text, and for an answering hook.
    pub fn context_tool(&self) -> Option<&str> {
        match &self.action {
            Action::Tool(name) => Some(name),
            _ => None,
        }
    }

    /// The hook as it is declared to clients; a matcher or arguments with nothing in them are left out.
    pub fn declaration(&self) -> Declaration {
        let content = match &self.action {
            Action::Text(text) => HookContent::Context(text.clone()),
            Action::Tool(name) => {
                HookContent::context_tool(name.clone(), self.args.clone().unwrap_or_default())
            }
            Action::Answer(_) => {
                HookContent::context_tool(self.id.clone(), Variables::arguments(self.event))
            }
        };
        let mut declaration = Declaration::new(self.event, self.priority, content);
        declaration.matcher = self.matcher.clone().filter(|matcher| !matcher.is_empty());
        declaration
    }
}

impl From<LifecycleHook> for core::Hook {
    fn from(hook: LifecycleHook) -> core::Hook {
        let (origin, owner, event) = (hook.origin, hook.owner, hook.event);
        let id = hook.id.clone();
        let made = match event {
            Event::SessionStart => core::Hook::new::<point::session_start>(id, hook),
            Event::SessionEnd => core::Hook::new::<point::session_end>(id, hook),
            Event::PreToolUse => core::Hook::new::<point::pre_tool_use>(id, hook),
            Event::PostToolUse => core::Hook::new::<point::post_tool_use>(id, hook),
            Event::PreRequest => core::Hook::new::<point::pre_request>(id, hook),
            Event::PostRequest => core::Hook::new::<point::post_request>(id, hook),
        };
        made.at(origin).owned_by(owner)
    }
}
