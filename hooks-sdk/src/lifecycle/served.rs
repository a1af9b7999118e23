//! The tool that the SDK serves for an answering hook.

use std::{
    any::{Any, type_name},
    borrow::Cow,
    fmt,
    time::Duration,
};

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{Answer, Event, LifecyclePoint, Receive, Variables};
use crate::core::{Failure, Guard, HookError, OnFailure, hook::owner_in};

type Call = dyn for<'a> Fn(&'a (dyn Any + Send + Sync), Variables) -> BoxFuture<'a, Result<String, HookError>>
    + Send
    + Sync;

/// The function of an answering hook, as a tool that a client calls.
pub struct Answering {
    name: Cow<'static, str>,
    pub(super) description: Option<Cow<'static, str>>,
    event: Event,
    guard: Guard,
    call: Box<Call>,
}

impl Answering {
    /// The default deadline of an answering hook.
    pub const DEADLINE: Duration = Duration::from_secs(10);

    pub(super) fn of_server<H, P, I, A>(
        name: Cow<'static, str>,
        answer: impl for<'a> Fn(&'a H, I) -> BoxFuture<'a, A> + Send + Sync + 'static,
    ) -> Answering
    where
        H: Any + Send + Sync,
        P: LifecyclePoint,
        I: Receive<P> + Send + 'static,
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
        I: Receive<P> + Send + 'static,
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
    /// The hook failed, panicked or missed its deadline, and its failure policy is `fail`.
    pub async fn answer(
        &self,
        server: &(dyn Any + Send + Sync),
        arguments: Map<String, Value>,
    ) -> Result<String, Failure> {
        let variables = Variables::from_arguments(self.event, arguments);
        // The guard also covers the closure: it may panic before it returns a future.
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
