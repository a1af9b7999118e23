//! The tool that an answering hook is served as.

use std::{
    any::{Any, type_name},
    borrow::Cow,
    fmt,
    time::Duration,
};

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{Answer, Event, LifecycleInput, LifecyclePoint, Variables};
use crate::core::{Failure, Guard, HookError, OnFailure, hook::owner_in};

type Call = dyn for<'a> Fn(&'a (dyn Any + Send + Sync), Variables) -> BoxFuture<'a, Result<String, HookError>>
    + Send
    + Sync;

/// A function that answers an event, as the tool under which a client reaches it.
pub struct Answering {
    name: Cow<'static, str>,
    pub(super) description: Option<Cow<'static, str>>,
    event: Event,
    guard: Guard,
    call: Box<Call>,
}

impl Answering {
    /// How long an answering hook may take unless its author says otherwise.
    pub const DEADLINE: Duration = Duration::from_secs(10);

    pub(super) fn of_server<H, P, I, A>(
        name: Cow<'static, str>,
        answer: impl for<'a> Fn(&'a H, I) -> BoxFuture<'a, A> + Send + Sync + 'static,
    ) -> Answering
    where
        H: Any + Send + Sync,
        P: LifecyclePoint,
        I: LifecycleInput<P> + Send + 'static,
        A: Answer + 'static,
    {
        Answering::new(
            name,
            P::EVENT,
            Box::new(move |server, variables| match owner_in::<H>(server) {
                Some(server) => {
                    let answer = answer(server, I::receive(variables));
                    Box::pin(async move { answer.await.answer() })
                }
                None => Box::pin(async {
                    Err(HookError::new(format!(
                        "the server is not a `{}`",
                        type_name::<H>()
                    )))
                }),
            }),
        )
    }

    pub(super) fn of_any<P, I, A>(
        name: Cow<'static, str>,
        answer: impl Fn(I) -> BoxFuture<'static, A> + Send + Sync + 'static,
    ) -> Answering
    where
        P: LifecyclePoint,
        I: LifecycleInput<P> + Send + 'static,
        A: Answer + 'static,
    {
        Answering::new(
            name,
            P::EVENT,
            Box::new(move |_, variables| {
                let answer = answer(I::receive(variables));
                Box::pin(async move { answer.await.answer() })
            }),
        )
    }

    fn new(name: Cow<'static, str>, event: Event, call: Box<Call>) -> Answering {
        let guard = Guard::new(Answering::DEADLINE, OnFailure::default());
        Answering {
            name,
            description: None,
            event,
            guard,
            call,
        }
    }

    pub(super) fn guarded(&mut self, deadline: Duration, on_failure: OnFailure) {
        self.guard = Guard::new(deadline, on_failure);
    }

    /// The tool's name: the hook's id.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tool's description: its author's, or one that says what such a tool is for.
    pub fn description(&self) -> &str {
        self.description
            .as_deref()
            .unwrap_or("Answers a lifecycle hook: clients call it when the hook's event fires.")
    }

    /// The JSON Schema of the tool's arguments: every variable legal for the event, as an optional string.
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

    /// Answers one call; the empty text has nothing to say.
    ///
    /// An argument that the client left unreplaced (`"{tool_name}"`) or null has no value, one that is no
    /// string counts as its JSON text, and an unknown one is ignored.
    ///
    /// # Errors
    ///
    /// That the hook failed, panicked or outstayed its deadline, if its policy is to say so.
    pub async fn answer(
        &self,
        server: &(dyn Any + Send + Sync),
        arguments: Map<String, Value>,
    ) -> Result<String, Failure> {
        let variables = Variables::from_arguments(self.event, arguments);
        // The author's closure may panic before it returns a future: it, too, runs inside the guard.
        let answer = async { (self.call)(server, variables).await };
        Ok(self
            .guard
            .run(&self.name, answer)
            .await?
            .unwrap_or_default())
    }
}

impl fmt::Debug for Answering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answering")
            .field("name", &self.name)
            .field("event", &self.event)
            .field("guard", &self.guard)
            .finish_non_exhaustive()
    }
}
