//! Plugins with state and a configuration, and their instances in a chain.

use std::{any::Any, borrow::Cow, fmt, sync::Arc};

use futures::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    AgentToolKind, PluginAnswer, PluginAt, PluginContext, PluginHook, PluginMode, PluginPoint,
    members::{WrongMember, members},
};
use hooks_core::{
    HookError, Origin, Posture,
    condition::Condition,
    internal::{catch_panic_now, setters},
};

/// A plugin: state and a configuration, with hooks at one or more points.
///
/// ```
/// use hooks_sdk::core::{HookError, Verdict, Violation};
/// use hooks_sdk::plugin::{Instance, Plugin, PluginHooks, ToolCall, point};
///
/// struct Greylist(Vec<String>);
///
/// impl Plugin for Greylist {
///     const KIND: &'static str = "greylist";
///     type Config = Vec<String>;
///
///     fn new(tools: Vec<String>) -> Result<Greylist, HookError> {
///         Ok(Greylist(tools))
///     }
///
///     fn hooks() -> PluginHooks<Greylist> {
///         PluginHooks::new().on(point::tool_pre_invoke, |greylist: &Greylist, call, _cx| {
///             Box::pin(async move {
///                 if greylist.0.iter().any(|tool| *tool == call.name) {
///                     return Verdict::<ToolCall>::Deny(Violation::new("not today"));
///                 }
///                 Verdict::Allow
///             })
///         })
///     }
/// }
///
/// let instance = Instance::of(Greylist(vec!["delete_all".to_owned()])).priority(10);
/// # assert_eq!(instance.id(), "greylist");
/// ```
///
/// The hooks of one instance share its id, and so the state that they keep in a request.
pub trait Plugin: Sized + Send + Sync + 'static {
    /// The word for the plugin in a configuration file, such as `rate_limit`.
    const KIND: &'static str;
    /// Its configuration: what stands under `config` in a configuration file.
    type Config: DeserializeOwned;

    /// Creates an instance.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the configuration.
    fn new(config: Self::Config) -> Result<Self, HookError>;

    /// Returns the plugin's hooks.
    fn hooks() -> PluginHooks<Self>;
}

/// The hooks of a plugin.
///
/// ```
/// use hooks_sdk::core::{Verdict, Violation};
/// use hooks_sdk::plugin::{PluginHooks, ToolCall, point};
///
/// struct Closed;
///
/// let hooks = PluginHooks::<Closed>::new().on(point::tool_pre_invoke, |_: &Closed, _call, _cx| {
///     Box::pin(async { Verdict::<ToolCall>::Deny(Violation::new("the office is closed")) })
/// });
/// ```
pub struct PluginHooks<S>(Vec<Made<S>>);

struct Made<S> {
    at: PluginAt,
    make: Box<dyn Fn(Arc<S>) -> PluginHook>,
}

impl<S: Any + Send + Sync> PluginHooks<S> {
    /// Starts without a hook.
    pub fn new() -> PluginHooks<S> {
        PluginHooks(Vec::new())
    }

    /// Adds a hook at a point.
    #[must_use]
    pub fn on<P, A>(
        mut self,
        _point: P,
        answer: impl for<'a> Fn(&'a S, &'a P::In, &'a mut PluginContext) -> BoxFuture<'a, A>
        + Copy
        + Send
        + Sync
        + 'static,
    ) -> PluginHooks<S>
    where
        P: PluginPoint + Default,
        A: PluginAnswer<P> + 'static,
    {
        let make = move |plugin: Arc<S>| PluginHook::within_instance::<S, P, A>(plugin, answer);
        self.0.push(Made {
            at: P::AT,
            make: Box::new(make),
        });
        self
    }

    setters! {
        /// Lets the hook that was added last run again, as [`PluginHook::again`] does.
        fn again(mut self) { self.change_last(|hook, _| hook.again()) }

        /// Says of the hook that was added last what [`PluginHook::without_commands`] says.
        fn without_commands(mut self) { self.change_last(|hook, _| hook.without_commands()) }
    }

    fn change_last(&mut self, change: impl Fn(PluginHook, &Arc<S>) -> PluginHook + 'static) {
        if let Some(Made { at, make }) = self.0.pop() {
            let make = move |plugin: Arc<S>| change(make(plugin.clone()), &plugin);
            let make = Box::new(make);
            self.0.push(Made { at, make });
        }
    }

    /// Lets the plugin also clean messages and answers that belong to no item, where the hook that was added last is for
    /// every item.
    #[cfg(feature = "policy")]
    pub(super) fn cleaning(mut self, clean: super::cleaning::CleanFn<S>) -> PluginHooks<S> {
        self.change_last(move |hook, plugin| hook.cleaning(plugin.clone(), clean));
        self
    }

    /// Says before which tools the hook that was added last asks the user: globs, and whether before all destructive ones.
    #[cfg(feature = "policy")]
    pub(super) fn asks_before(mut self, tools: fn(&S) -> (Vec<Box<str>>, bool)) -> PluginHooks<S> {
        self.change_last(move |hook, plugin| PluginHook {
            asks_before: Some(tools(plugin)),
            ..hook
        });
        self
    }

    fn made(self, plugin: &Arc<S>) -> Vec<PluginHook> {
        let hooks = self.0.iter();
        hooks.map(|made| (made.make)(plugin.clone())).collect()
    }
}

impl<S: Any + Send + Sync> Default for PluginHooks<S> {
    fn default() -> PluginHooks<S> {
        PluginHooks::new()
    }
}

impl<S> fmt::Debug for PluginHooks<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|made| made.at))
            .finish()
    }
}

/// A plugin in a chain: its hooks under one id.
///
/// ```
/// use hooks_sdk::plugin::{Instance, ready::RateLimit};
///
/// let searches = Instance::of(RateLimit::new().per_minute(60).tool("search*")).named("searches");
/// ```
#[derive(Clone, Debug)]
pub struct Instance {
    id: Arc<str>,
    kind: &'static str,
    hooks: Vec<PluginHook>,
    /// Whether the hooks know where their author made the instance.
    is_located: bool,
}

impl Instance {
    /// Creates an instance whose id is the plugin's kind.
    #[track_caller]
    pub fn of<S: Plugin>(plugin: S) -> Instance {
        Instance::made(plugin).located(Origin::here())
    }

    /// Says where the author made the instance, unless it is known.
    #[doc(hidden)]
    pub fn located(mut self, origin: Origin) -> Instance {
        if self.is_located {
            return self;
        }
        self.is_located = true;
        self.each(|hook| hook.written_at(origin))
    }

    fn made<S: Plugin>(plugin: S) -> Instance {
        let hooks = S::hooks().made(&Arc::new(plugin)).into_iter().enumerate();
        let hooks = hooks.map(|(place, hook)| hook.of_kind(Kind::of::<S>(), place));
        let instance = Instance {
            id: S::KIND.into(),
            kind: S::KIND,
            hooks: hooks.collect(),
            is_located: false,
        };
        instance.named(S::KIND)
    }

    /// Sets the id: 1 to 64 of `[a-z0-9_-]`. Two instances of one kind need different ids.
    #[must_use]
    pub fn named(self, id: impl Into<Arc<str>>) -> Instance {
        let id = id.into();
        let mut instance = self.each(|hook| hook.named(id.clone()));
        instance.id = id;
        instance
    }

    setters! {
        /// Keeps its hooks at these points only.
        fn only_at(mut self, points: &[PluginAt]) { self.hooks.retain(|hook| points.contains(&hook.at())) }

        /// Changes each of its hooks.
        fn each(mut self, change: impl Fn(PluginHook) -> PluginHook) {
            self.hooks = self.hooks.into_iter().map(change).collect();
        }
    }

    /// Returns the id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the kind of the plugin.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns the hooks.
    pub fn hooks(&self) -> &[PluginHook] {
        &self.hooks
    }
}

impl<S: Plugin> From<S> for Instance {
    // A conversion does not know its caller. What takes the instance says where that was.
    fn from(plugin: S) -> Instance {
        Instance::made(plugin)
    }
}

/// Writes builder methods of an instance that call the same method of each of its hooks.
macro_rules! of_each_hook {
    ($($(#[$about:meta])+ fn $method:ident($value:ident: $type:ty);)+) => {
        impl Instance {$(
            $(#[$about])+
            #[must_use]
            pub fn $method(self, $value: $type) -> Instance {
                self.each(|hook| hook.$method(Clone::clone(&$value)))
            }
        )+}
    };
}

of_each_hook! {
    /// Sets the place of its hooks, as [`PluginHook::priority`] does.
    fn priority(priority: i32);
    /// Sets what its hooks may do.
    fn mode(mode: PluginMode);
    /// Sets what happens when its hooks fail, and when its gates cannot judge a call, as [`PluginHook::posture`] does.
    fn posture(posture: Posture);
    /// Limits its hooks to items whose names match one of these globs.
    fn items(globs: &[&str]);
    /// Limits its hooks to payloads for which the condition holds.
    fn when(condition: Condition);
    /// Limits its hooks to payloads for which the condition does not hold.
    fn unless(condition: Condition);
    /// Limits its hooks at points of agent clients to these kinds of tools.
    fn kinds(kinds: &[AgentToolKind]);
}

/// A kind of plugin that a configuration file can name.
#[derive(Clone, Copy)]
pub struct Kind {
    word: &'static str,
    points: fn() -> Vec<PluginAt>,
    make: fn(Value) -> Result<Instance, Vec<WrongMember>>,
}

impl Kind {
    /// Returns the kind of a plugin.
    pub const fn of<S: Plugin>() -> Kind {
        Kind {
            word: S::KIND,
            points: || S::hooks().0.iter().map(|made| made.at).collect(),
            make: |config| {
                let config = members::<S::Config>(config)?;
                let made = S::new(config).map(Instance::made);
                made.map_err(|wrong| vec![(Vec::new(), wrong.to_string())])
            },
        }
    }

    /// Returns the word for the kind in a configuration file.
    pub fn word(&self) -> &'static str {
        self.word
    }

    /// Returns the points at which the kind has hooks.
    pub fn points(&self) -> Vec<PluginAt> {
        (self.points)()
    }

    /// Creates an instance from what stands under `config`.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the configuration.
    pub fn make(&self, config: Value) -> Result<Instance, HookError> {
        self.making(config).map_err(|wrong| {
            let wrong = wrong.into_iter().map(|(path, message)| {
                let place = path.join(".");
                if place.is_empty() {
                    message
                } else {
                    format!("`{place}`: {message}")
                }
            });
            HookError::new(wrong.collect::<Vec<_>>().join("; "))
        })
    }

    /// Creates an instance, or says which members of the configuration are wrong. A panic is one of them: a server that
    /// reads its file again goes on.
    pub(super) fn making(&self, config: Value) -> Result<Instance, Vec<WrongMember>> {
        let made = catch_panic_now(|| (self.make)(config));
        made.unwrap_or_else(|failure| Err(vec![(Vec::new(), failure.to_string())]))
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kind")
            .field(&Cow::Borrowed(self.word))
            .finish()
    }
}
