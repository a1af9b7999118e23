//! One lifecycle hook as its author wrote it, and the tool that the SDK serves for an answering hook.

use std::{any::Any, borrow::Cow, time::Duration};

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{
    Answer, Declaration, Event, HookContent, LifecycleInput, LifecyclePoint, Matcher, Strength,
    Variables,
};
use crate::{
    AnyCallback, Callback, Failure, Guard, Origin, Owner, Posture,
    callback::Input,
    macros::{entry, setters},
    observe::Run,
};

/// A lifecycle hook: this protocol's part of a [`Hook`](crate::Hook).
///
/// The attribute `hook` makes a hook. These constructors do it by hand, for generic servers
/// and for authors who do not want collection at link time. [`problems`](super::problems()) then checks at
/// start-up what the attribute checks at compile time.
///
/// ```
/// use hooks_sdk::core::Registry;
/// use hooks_sdk::lifecycle::{LifecycleHook, Matcher, point, strength};
///
/// let after_commit = LifecycleHook::text(
///     "after_commit",
///     point::post_tool_use,
///     strength::suggestion,
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
    strength: Strength,
    pub(super) matcher: Option<Matcher>,
    pub(super) action: Action,
    pub(super) args: Option<Map<String, Value>>,
    owner: Owner,
    origin: Origin,
}

/// The source of a hook's text.
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
        strength: Strength,
        action: Action,
    ) -> LifecycleHook {
        LifecycleHook {
            id,
            event: P::EVENT,
            strength,
            matcher: None,
            action,
            args: None,
            owner: Owner::ANY,
            origin: Origin::here(),
        }
    }

    /// Makes a hook that injects a static text.
    #[track_caller]
    pub fn text<P: LifecyclePoint>(
        id: impl Into<Cow<'static, str>>,
        _point: P,
        strength: Strength,
        text: impl Into<Cow<'static, str>>,
    ) -> LifecycleHook {
        LifecycleHook::new::<P>(id.into(), strength, Action::Text(text.into()))
    }

    /// Makes a hook that injects the result of one of the author's tools.
    #[track_caller]
    pub fn tool<P: LifecyclePoint>(
        id: impl Into<Cow<'static, str>>,
        _point: P,
        strength: Strength,
        context_tool: impl Into<Cow<'static, str>>,
    ) -> LifecycleHook {
        LifecycleHook::new::<P>(id.into(), strength, Action::Tool(context_tool.into()))
    }

    /// Makes a hook that injects the answer of a function of the server `H`. The SDK serves it as a tool named `id`.
    #[track_caller]
    pub fn answering<H, P, I, A>(
        id: impl Into<Cow<'static, str>>,
        _point: P,
        strength: Strength,
        answer: impl for<'a> Fn(&'a H, I) -> BoxFuture<'a, A> + Send + Sync + 'static,
    ) -> LifecycleHook
    where
        H: Any + Send + Sync,
        P: LifecyclePoint,
        I: LifecycleInput<P> + Send + 'static,
        A: Answer + 'static,
    {
        let callback = Callback::of::<H>(guard(), move |server, variables| {
            let answer = answer(server, I::receive(variables));
            Box::pin(async move { answer.await.answer() })
        });
        LifecycleHook::answered_by::<P>(id.into(), strength, callback)
    }

    /// Makes a hook that injects the answer of a function without a server. The SDK serves it as a tool named `id`.
    #[track_caller]
    pub fn answering_any<P, I, A>(
        id: impl Into<Cow<'static, str>>,
        _point: P,
        strength: Strength,
        answer: impl Fn(I) -> BoxFuture<'static, A> + Send + Sync + 'static,
    ) -> LifecycleHook
    where
        P: LifecyclePoint,
        I: LifecycleInput<P> + Send + 'static,
        A: Answer + 'static,
    {
        let callback = Callback::any(guard(), move |_, variables| {
            let answer = answer(I::receive(variables));
            Box::pin(async move { answer.await.answer() })
        });
        LifecycleHook::answered_by::<P>(id.into(), strength, callback)
    }

    #[track_caller]
    fn answered_by<P: LifecyclePoint>(
        id: Cow<'static, str>,
        strength: Strength,
        callback: Callback<Variables, String>,
    ) -> LifecycleHook {
        let answering = Answering {
            name: id.clone(),
            description: None,
            event: P::EVENT,
            callback,
        };
        LifecycleHook {
            owner: answering.callback.owner(),
            ..LifecycleHook::new::<P>(id, strength, Action::Answer(answering))
        }
    }

    setters! {
        /// Sets the conditions under which the hook fires; only for `pre_tool_use` and `post_tool_use`.
        fn matcher(mut self, matcher: Matcher) { self.matcher = Some(matcher) }

        /// Sets the arguments of the context tool; only for [`LifecycleHook::tool`].
        fn context_tool_args(mut self, args: Map<String, Value>) { self.args = Some(args) }

        /// Sets the description of the served tool. Has no effect on a hook that is not answering.
        fn description(mut self, description: impl Into<Cow<'static, str>>) {
            if let Action::Answer(answering) = &mut self.action {
                answering.description = Some(description.into());
            }
        }

        /// Sets the deadline of an answering hook. Default: 10 s.
        fn deadline(mut self, deadline: Duration) { self.guarded(|guard| guard.deadline = deadline) }

        /// Sets what a failure of an answering hook means. Default: [`Posture::Deny`].
        fn posture(mut self, posture: Posture) { self.guarded(|guard| guard.posture = posture) }

        /// Sets the server `H` as the hook's owner.
        fn server<H: Any>(mut self) { self.owner = Owner::of::<H>() }
    }

    fn guarded(&mut self, change: impl FnOnce(&mut Guard)) {
        if let Action::Answer(answering) = &mut self.action {
            change(answering.callback.guard_mut());
        }
    }

    /// Returns the hook's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the event at which the hook fires.
    pub fn event(&self) -> Event {
        self.event
    }

    /// Returns the hook's strength.
    pub fn strength(&self) -> Strength {
        self.strength
    }

    /// Returns the tool that the SDK serves for the hook, if it is an answering hook.
    pub fn served(&self) -> Option<&Answering> {
        match &self.action {
            Action::Answer(answering) => Some(answering),
            _ => None,
        }
    }

    /// Returns the author's tool that the hook names; `None` for a text and for an answering hook.
    pub fn context_tool(&self) -> Option<&str> {
        match &self.action {
            Action::Tool(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the hook's declaration. An empty matcher and empty arguments are left out.
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
        let mut declaration = Declaration::new(self.event, self.strength, content);
        declaration.matcher = self.matcher.clone().filter(|matcher| !matcher.is_empty());
        declaration
    }
}

entry!(LifecycleHook: "lifecycle", |hook| hook.event.as_str(), hook.id.clone());

/// The function of an answering hook, as a tool that a client calls.
#[derive(Debug)]
pub struct Answering {
    name: Cow<'static, str>,
    description: Option<Cow<'static, str>>,
    event: Event,
    pub(super) callback: Callback<Variables, String>,
}

impl Input for Variables {
    type Of<'a> = Variables;
}

const fn guard() -> Guard {
    Guard::new(Answering::DEADLINE, Posture::Deny)
}

impl Answering {
    /// The default deadline of an answering hook.
    pub const DEADLINE: Duration = Duration::from_secs(10);

    /// Returns the tool's name, which is the hook's id.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the tool's description: the author's, or a default that describes hook tools.
    pub fn description(&self) -> &str {
        self.description
            .as_deref()
            .unwrap_or("Answers a lifecycle hook: clients call it when the hook's event fires.")
    }

    /// Returns the JSON Schema of the tool's arguments: each variable of the event, as an optional string.
    pub fn input_schema(&self) -> Map<String, Value> {
        let properties: Map<String, Value> = self
            .event
            .variables()
            .iter()
            .map(|&name| {
                let description = Variables::description(name);
                (
                    name.to_owned(),
                    json!({ "type": "string", "description": description }),
                )
            })
            .collect();
        Map::from_iter([
            ("type".to_owned(), json!("object")),
            ("properties".to_owned(), Value::Object(properties)),
        ])
    }

    /// Answers one call. The empty text injects nothing.
    ///
    /// - An argument that the client left unreplaced (`"{tool_name}"`), or `null`, has no value.
    /// - An argument that is not a string counts as its JSON text.
    /// - An unknown argument is ignored.
    ///
    /// # Errors
    ///
    /// The hook failed, panicked or missed its deadline, and its posture is `deny`.
    pub async fn answer(
        &self,
        server: &(dyn Any + Send + Sync),
        arguments: Map<String, Value>,
    ) -> Result<String, Failure> {
        let variables = Variables::from_arguments(self.event, arguments);
        let run = Run::new("lifecycle", self.event.as_str(), &self.name);
        let answer = self.callback.call(run, server, variables).await?;
        Ok(answer.unwrap_or_default())
    }
}
