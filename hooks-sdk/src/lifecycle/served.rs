//! The tool that an answering hook is served as.

use std::{any::Any, borrow::Cow, fmt, time::Duration};

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{Answer, Event, LifecycleInput, LifecyclePoint, Variables};
use crate::core::{AnyCallback, Callback, Failure, Guard, OnFailure, callback::Input};

/// A function that answers an event, as the tool under which a client reaches it.
pub struct Answering {
    name: Cow<'static, str>,
    pub(super) description: Option<Cow<'static, str>>,
    event: Event,
    pub(super) callback: Callback<Variables, String>,
}

impl Input for Variables {
    type Of<'a> = Variables;
}

/// The guard of a function, unless its author changes it.
const fn guard() -> Guard {
    Guard::new(Answering::DEADLINE, OnFailure::Fail)
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
        let callback = Callback::of::<H>(guard(), move |server, variables| {
            let answer = answer(server, I::receive(variables));
            Box::pin(async move { answer.await.answer() })
        });
        Answering::new(name, P::EVENT, callback)
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
        let callback = Callback::any(guard(), move |_, variables| {
            let answer = answer(I::receive(variables));
            Box::pin(async move { answer.await.answer() })
        });
        Answering::new(name, P::EVENT, callback)
    }

    fn new(
        name: Cow<'static, str>,
        event: Event,
        callback: Callback<Variables, String>,
    ) -> Answering {
        Answering {
            name,
            description: None,
            event,
            callback,
        }
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
        let answer = self.callback.call(&self.name, server, variables).await?;
        Ok(answer.unwrap_or_default())
    }
}

impl fmt::Debug for Answering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answering")
            .field("name", &self.name)
            .field("event", &self.event)
            .field("guard", self.callback.guard())
            .finish_non_exhaustive()
    }
}
