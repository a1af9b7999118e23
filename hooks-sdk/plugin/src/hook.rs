//! One plugin hook as its author wrote it.

use std::{any::Any, borrow::Cow, sync::Arc, time::Duration};

use futures::future::BoxFuture;

use super::{
    Kind, PluginAnswer, PluginCondition, PluginContext, PluginMode, PluginPoint,
    cleaning::Clean,
    filter::Filter,
    point::{self, PROTOCOL, PluginAt},
    rule,
};
use hooks_core::{
    Origin, Owner, Point, Posture, Violation,
    condition::Condition,
    internal::{AnyCallback, Callback, Guard, Mut, Ref, debugs, entry, setters},
};

/// The deadline of a hook, unless its author says otherwise.
pub const DEADLINE: Duration = Duration::from_secs(5);

/// The priority of a hook, unless its author says otherwise.
pub const PRIORITY: i32 = 100;

/// A function that answers at the point `P`.
pub(super) type Answers<P> =
    Callback<(Ref<<P as Point>::In>, Mut<PluginContext>), <P as Point>::Out>;

/// A plugin hook: this protocol's part of a [`Hook`](hooks_core::Hook).
///
/// The attribute `hook` makes a hook. These constructors do it by hand, for generic servers
/// and for authors who do not want collection at link time.
///
/// ```
/// use hooks_sdk::core::Registry;
/// use hooks_sdk::plugin::{PluginHook, point};
///
/// let rule = PluginHook::deny("keep_logs", point::tool_pre_invoke, "logs are never deleted")
///     .items(&["delete_log*"])
///     .priority(10);
/// let registry = Registry::builder().add(rule.into()).build()?;
/// # assert_eq!(registry.iter().len(), 1);
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// Its id in the core's registry is `plugin:point:id`. Hooks with one id at different points share their state.
#[derive(Clone)]
pub struct PluginHook {
    pub(super) id: Arc<str>,
    pub(super) at: PluginAt,
    pub(super) filter: Filter,
    pub(super) priority: i32,
    pub(super) mode: PluginMode,
    /// What happens when it fails, or when a gate cannot judge a call.
    pub(super) posture: Option<Posture>,
    /// Whether a gate looks into commands, paths or URLs, where its conditions do not say it.
    pub(super) looks_inside: bool,
    pub(super) deadline: Duration,
    pub(super) writable: Option<Box<[Box<str>]>>,
    pub(super) tags: Vec<Cow<'static, str>>,
    /// Whether its function can ask the user.
    pub(super) asks: bool,
    pub(super) body: Body,
    /// Whether its function gets the context of the request.
    pub(super) takes_context: bool,
    /// Whether the hook runs again on a payload that later hooks changed.
    pub(super) again: bool,
    /// The configuration that a file gives to its plugin. It is not in `Debug`, since it may hold a secret.
    pub(super) configured: Option<Arc<str>>,
    /// The kind of its plugin, and the hook's place among the hooks of that kind.
    pub(super) kind: Option<(Kind, usize)>,
    /// How its plugin cleans messages and answers that belong to no item.
    pub(super) clean: Option<Clean>,
    /// The globs of the tools before which its plugin asks the user, and whether it asks before all destructive tools.
    pub(super) asks_before: Option<(Vec<Box<str>>, bool)>,
    pub(super) owner: Owner,
    pub(super) origin: Origin,
}

/// What a hook does.
#[derive(Clone)]
pub(super) enum Body {
    /// It denies whatever its filter lets through.
    Deny(Arc<Violation>),
    /// It calls a function: an `Answers<P>` for the point's `P`.
    Call(Arc<dyn AnyCallback>),
}

impl PluginHook {
    #[track_caller]
    fn new<P: PluginPoint>(id: Cow<'static, str>, owner: Owner, body: Body) -> PluginHook {
        PluginHook {
            id: id.into(),
            at: P::AT,
            filter: Filter::default(),
            priority: PRIORITY,
            mode: PluginMode::Enforce,
            posture: None,
            looks_inside: true,
            deadline: DEADLINE,
            writable: None,
            tags: Vec::new(),
            asks: false,
            takes_context: matches!(body, Body::Call(_)),
            body,
            again: false,
            configured: None,
            kind: None,
            clean: None,
            asks_before: None,
            owner,
            origin: Origin::here(),
        }
    }

    /// Makes a rule without a body: it denies every payload that its items and conditions match.
    #[track_caller]
    pub fn deny<P: PluginPoint>(
        id: impl Into<Cow<'static, str>>,
        _point: P,
        reason: impl Into<String>,
    ) -> PluginHook {
        let violation = Arc::new(Violation::new(reason));
        PluginHook::new::<P>(id.into(), Owner::ANY, Body::Deny(violation))
    }

    /// Makes a rule without a body at a point that a configuration file names.
    #[track_caller]
    pub(super) fn deny_at(at: PluginAt, id: String, reason: &str) -> PluginHook {
        // The point in the type is replaced by the point of the file, because a rule without a body is the same at each.
        let rule = PluginHook::deny(id, point::tool_pre_invoke, reason);
        PluginHook { at, ..rule }
    }

    setters! {
        /// Sets whether the author's own answer type can ask the user. Generated code needs this, since it has already
        /// converted the answer.
        #[doc(hidden)]
        fn asking(mut self, asks: bool) { self.asks = asks }

        /// Says that its function has no parameter for the context. Generated code needs this: the context is then not made for
        /// it.
        #[doc(hidden)]
        fn without_context(mut self) { self.takes_context = false }
    }

    /// Returns whether the hook reads something of the request's context: its function, or what limits it.
    pub(super) fn reads_context(&self) -> bool {
        self.takes_context || self.filter.reads_context()
    }

    /// Makes a hook from a function of the server `S`.
    #[track_caller]
    pub fn answering<S, P, A>(
        id: impl Into<Cow<'static, str>>,
        _point: P,
        answer: impl for<'a> Fn(&'a S, &'a P::In, &'a mut PluginContext) -> BoxFuture<'a, A>
        + Send
        + Sync
        + 'static,
    ) -> PluginHook
    where
        S: Any + Send + Sync,
        P: PluginPoint,
        A: PluginAnswer<P> + 'static,
    {
        let callback = Answers::<P>::of::<S>(guard(), move |server, (payload, cx)| {
            let answer = answer(server, payload, cx);
            Box::pin(async move { answer.await.answer() })
        });
        let owner = callback.owner();
        PluginHook::new::<P>(id.into(), owner, Body::Call(Arc::new(callback))).asking(A::ASKS)
    }

    /// Makes a hook from a function without a server.
    #[track_caller]
    pub fn answering_any<P, A>(
        id: impl Into<Cow<'static, str>>,
        _point: P,
        answer: impl for<'a> Fn(&'a P::In, &'a mut PluginContext) -> BoxFuture<'a, A>
        + Send
        + Sync
        + 'static,
    ) -> PluginHook
    where
        P: PluginPoint,
        A: PluginAnswer<P> + 'static,
    {
        let callback = Answers::<P>::any(guard(), move |_, (payload, cx)| {
            let answer = answer(payload, cx);
            Box::pin(async move { answer.await.answer() })
        });
        PluginHook::new::<P>(id.into(), Owner::ANY, Body::Call(Arc::new(callback))).asking(A::ASKS)
    }

    /// Makes a hook from a function of a plugin that is part of the hook.
    #[track_caller]
    pub(super) fn within_instance<S, P, A>(
        plugin: Arc<S>,
        answer: impl for<'a> Fn(&'a S, &'a P::In, &'a mut PluginContext) -> BoxFuture<'a, A>
        + Send
        + Sync
        + 'static,
    ) -> PluginHook
    where
        S: Any + Send + Sync,
        P: PluginPoint,
        A: PluginAnswer<P> + 'static,
    {
        let answer = Arc::new(answer);
        let callback = Answers::<P>::any(guard(), move |_, (payload, cx)| {
            let (plugin, answer) = (plugin.clone(), answer.clone());
            Box::pin(async move { answer(&plugin, payload, cx).await.answer() })
        });
        PluginHook::new::<P>("".into(), Owner::ANY, Body::Call(Arc::new(callback))).asking(A::ASKS)
    }

    setters! {
        /// Limits the hook to items whose names match one of these globs: names of tools, ids of prompts, URIs of
        /// resources.
        fn items(mut self, globs: &[&str]) { self.filter.items = globs.iter().map(|glob| (*glob).into()).collect() }

        /// Limits the hook to payloads for which the condition holds. An absent value does not match.
        fn when(mut self, condition: Condition) { self.filter.when = Some(condition) }

        /// Limits the hook to payloads for which the condition does not hold. An absent value counts as one for which it
        /// does not hold, and so do lists of which one element does not match.
        fn unless(mut self, condition: Condition) { self.filter.unless = Some(condition) }

        /// Leaves senders alone whose tokens have all of these scopes: the hook runs for the others. A sender without a token has
        /// no scope.
        fn scopes(mut self, scopes: &[&str]) {
            self.filter.scopes = scopes.iter().map(|scope| (*scope).into()).collect();
        }

        /// Limits the hook as `conditions` in a configuration file does: to payloads that, as they arrived, match one of
        /// these.
        fn conditions(mut self, conditions: Vec<PluginCondition>) { self.filter.conditions = conditions }

        /// Sets the hook's place: lower runs first, equal ones run in the order of registration. The default is 100.
        fn priority(mut self, priority: i32) { self.priority = priority }

        /// Sets what the hook may do. The default is [`PluginMode::Enforce`].
        fn mode(mut self, mode: PluginMode) { self.mode = mode }

        /// Sets what happens when the hook fails: the request stops (`Deny`, the default), or goes on (`Proceed`).
        ///
        /// A hook at `agent_tool_pre_invoke` is a gate, and needs one: it says what happens when the gate cannot judge a call,
        /// too. The deadline of a gate is at most 2 s.
        fn posture(mut self, posture: Posture) {
            self.posture = Some(posture);
            if self.at.is_gate() {
                self.deadline = self.deadline.min(rule::GATE_DEADLINE);
            }
        }

        /// Sets how long the hook may take. It does not run while a user is asked. The default is 5 s.
        fn deadline(mut self, deadline: Duration) { self.deadline = deadline }

        /// Sets the fields that the hook may change, in the document's words, such as `args`. A change of another field is
        /// dropped and reported.
        fn writable(mut self, fields: &[&str]) {
            self.writable = Some(fields.iter().map(|field| (*field).into()).collect());
        }

        /// Runs the hook once more after the last change, on the payload as it will be used. Rules without a body do so
        /// anyway. Such a hook only allows or denies.
        fn again(mut self) { self.again = true }

        /// Sets words by which people find the hook.
        fn tags(mut self, tags: &[&'static str]) { self.tags = tags.iter().map(|tag| Cow::Borrowed(*tag)).collect() }
    }

    /// Adds words of a configuration file to those by which people find the hook.
    pub(super) fn tagged(mut self, tags: impl IntoIterator<Item = String>) -> PluginHook {
        self.tags.extend(tags.into_iter().map(Cow::Owned));
        self
    }

    /// Sets the configuration that a file gives to the hook's plugin.
    pub(super) fn configured(mut self, configuration: Option<Arc<str>>) -> PluginHook {
        self.configured = configuration;
        self
    }

    /// Sets the kind of its plugin, and the hook's place among the hooks of that kind.
    pub(super) fn of_kind(mut self, kind: Kind, place: usize) -> PluginHook {
        self.kind = Some((kind, place));
        self
    }

    /// Returns the hook's place among the hooks of its plugin.
    pub(super) fn place(&self) -> usize {
        self.kind.map_or(0, |(_, place)| place)
    }

    /// Returns the key of a hook with this id and point, in this place.
    pub(super) fn key(&self, place: usize) -> Arc<str> {
        format!("{} {} {place}", self.id, self.at.as_str()).into()
    }

    /// Takes what another instance of its plugin does. Everything that limits the hook stays.
    pub(super) fn doing(
        mut self,
        made: &PluginHook,
        configuration: Option<Arc<str>>,
    ) -> PluginHook {
        self.body = made.body.clone();
        self.asks = made.asks;
        self.takes_context = made.takes_context;
        self.looks_inside = made.looks_inside;
        self.clean.clone_from(&made.clean);
        self.asks_before.clone_from(&made.asks_before);
        self.configured(configuration)
    }

    /// For a rule without a body: sets the violation's word for programs.
    #[must_use]
    pub fn code(self, code: impl Into<String>) -> PluginHook {
        self.violating(|violation| violation.code = code.into())
    }

    /// For a rule without a body: sets what the agent or the user needs to know to fix it.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> PluginHook {
        self.violating(|violation| violation.description = description.into())
    }

    fn violating(mut self, change: impl FnOnce(&mut Violation)) -> PluginHook {
        if let Body::Deny(violation) = &mut self.body {
            change(Arc::make_mut(violation));
        }
        self
    }

    setters! {
        /// Ties the hook to the server `H`.
        fn server<H: Any>(mut self) { self.owner = Owner::of::<H>() }
    }

    /// Sets another id: 1 to 64 of `[a-z0-9_-]`.
    #[must_use]
    pub(crate) fn named(mut self, id: impl Into<Arc<str>>) -> PluginHook {
        self.id = id.into();
        self
    }
}

/// The chain decides what a failure means, so the guard reports every one.
const fn guard() -> Guard {
    Guard::new(DEADLINE, Posture::Deny)
}

// Hooks of one id at several points share what they keep in a request.
entry!(PluginHook: PROTOCOL, |hook| hook.at.as_str(), format!("{PROTOCOL}:{}:{}", hook.at.as_str(), hook.id));

debugs!(PluginHook {
    id,
    at,
    priority,
    mode,
    posture,
    filter
});
