//! What the fixtures are: tables in JSON, and how their texts are filled in.

use rmcp::model::{
    ContentBlock, JsonObject, Prompt, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate, Tool,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::rounds::Rounds;

/// A tool, and what it does when it is called.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ToolFixture {
    pub(crate) tool: Tool,
    pub(crate) does: Does,
}

/// What a tool does.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Does {
    /// It returns the same content to every call.
    Answer(Vec<ContentBlock>),
    /// It fails with the same content at every call.
    Fails(Vec<ContentBlock>),
    /// It returns a text, filled in with the arguments.
    Says(String),
    /// It sends the client a request during the call and returns the answer.
    Asks { request: Value, says: String },
    /// It returns its questions, and the client calls again with the answers.
    Rounds(Rounds),
    /// It becomes a task for clients that know tasks.
    Task {
        /// Other clients are refused.
        #[serde(default)]
        required: bool,
    },
    /// It is a function in `coded.rs`.
    Coded,
}

/// A prompt, and what a client gets.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct PromptFixture {
    pub(crate) prompt: Prompt,
    pub(crate) does: Gives,
}

/// What a prompt gives.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Gives {
    /// Messages, filled in with the arguments.
    Answer(Value),
    /// Questions first.
    Rounds(Rounds),
}

/// The resources and the template.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Resources {
    pub(crate) resources: Vec<ResourceFixture>,
    pub(crate) template: ResourceTemplate,
}

/// A resource and its contents.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ResourceFixture {
    #[serde(flatten)]
    pub(crate) resource: Resource,
    text: Option<String>,
    blob: Option<String>,
}

impl Resources {
    /// Reads a resource of the table, or one of the template.
    pub(crate) fn read(&self, uri: &str) -> Option<ReadResourceResult> {
        let mut fixtures = self.resources.iter();
        let fixed = fixtures.find(|fixture| fixture.resource.uri == uri);
        let contents = match fixed {
            Some(fixture) => fixture.contents(),
            None => templated(uri)?,
        };
        Some(ReadResourceResult::new(vec![contents]))
    }
}

impl ResourceFixture {
    fn contents(&self) -> ResourceContents {
        let uri = self.resource.uri.clone();
        let contents = match (&self.text, &self.blob) {
            (Some(text), _) => ResourceContents::text(text, uri),
            (None, blob) => ResourceContents::blob(blob.clone().unwrap_or_default(), uri),
        };
        match &self.resource.mime_type {
            Some(mime_type) => contents.with_mime_type(mime_type),
            None => contents,
        }
    }
}

/// The data of an id.
fn templated(uri: &str) -> Option<ResourceContents> {
    let id = uri.strip_prefix("test://template/")?;
    let id = id.strip_suffix("/data")?;
    let data = format!("Data for ID: {id}");
    let data = json!({ "id": id, "templateTest": true, "data": data });
    let contents = ResourceContents::text(data.to_string(), uri);
    Some(contents.with_mime_type("application/json"))
}

/// Reads a value after each `{name}` in its texts became the argument of this name.
pub(crate) fn filled<T: DeserializeOwned>(
    template: &Value,
    arguments: &JsonObject,
) -> serde_json::Result<T> {
    serde_json::from_value(fill(template, arguments))
}

fn fill(template: &Value, arguments: &JsonObject) -> Value {
    match template {
        Value::String(text) => Value::String(fill_text(text, arguments)),
        Value::Array(items) => items.iter().map(|item| fill(item, arguments)).collect(),
        Value::Object(members) => {
            let filled = |(name, value): (&String, &Value)| (name.clone(), fill(value, arguments));
            Value::Object(members.iter().map(filled).collect())
        }
        other => other.clone(),
    }
}

/// The text with each `{name}` replaced by the argument of this name.
pub(crate) fn fill_text(text: &str, arguments: &JsonObject) -> String {
    arguments
        .iter()
        .fold(text.to_owned(), |text, (name, value)| {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            text.replace(&format!("{{{name}}}"), &value)
        })
}
