//! The tool that the SDK serves for an answering hook.

use std::{any::Any, borrow::Cow, fmt, time::Duration};

use serde_json::{Map, Value, json};

use super::{Event, Variables};
use crate::{AnyCallback, Callback, Failure, Guard, OnFailure, callback::Input, observe::Run};

/// The function of an answering hook, as a tool that a client calls.
pub struct Answering {
    pub(super) name: Cow<'static, str>,
    pub(super) description: Option<Cow<'static, str>>,
    pub(super) event: Event,
    pub(super) callback: Callback<Variables, String>,
}

impl Input for Variables {
    type Of<'a> = Variables;
}

impl Answering {
    /// The default deadline of an answering hook.
    pub const DEADLINE: Duration = Duration::from_secs(10);

    pub(super) const fn guard_of_answers() -> Guard {
        Guard::new(Answering::DEADLINE, OnFailure::Fail)
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
        let run = Run::new("lifecycle", self.event.as_str(), &self.name);
        let answer = self.callback.call(run, server, variables).await?;
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
