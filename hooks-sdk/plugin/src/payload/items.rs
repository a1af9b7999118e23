//! The payloads of tools, prompts and resources.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{HttpHeaders, Payload, Writable, guard, measure::Measure};
use hooks_core::condition::Subject;

/// Generates [`Payload::changed`] for a payload whose change is a payload. A change without `inputs` keeps them, so that a
/// hook that makes a new payload does not lose them.
macro_rules! changed {
    ($payload:ident: $($field:ident),+ $(; keeps $inputs:ident)?) => {
        fn changed(
            &self,
            mut change: $payload,
            writable: Writable<'_>,
        ) -> ($payload, Vec<&'static str>) {
            let mut kept = Vec::new();
            $(if change.$inputs.is_empty() {
                change.$inputs.clone_from(&self.$inputs);
            })?
            $(guard(stringify!($inputs), &self.$inputs, &mut change.$inputs, writable, &mut kept);)?
            $(guard(stringify!($field), &self.$field, &mut change.$field, writable, &mut kept);)+
            (change, kept)
        }
    };
}

/// A call of a tool, before the tool runs (`ToolPreInvokePayload`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// The name of the tool.
    pub name: Cow<'static, str>,
    /// The arguments.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// The headers of the HTTP request; `None` where the call did not arrive over HTTP.
    ///
    /// A change is seen by later hooks and by the tool, through [`Headers`](crate::Headers) in the extensions
    /// of its request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<HttpHeaders>,
    /// The user's answers to questions of the tool itself, by the name of the question, when the client calls the tool
    /// again with them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub input_responses: Map<String, Value>,
}

impl ToolCall {
    /// Creates a call without headers.
    pub fn new(name: impl Into<Cow<'static, str>>, args: Map<String, Value>) -> ToolCall {
        ToolCall {
            name: name.into(),
            args,
            headers: None,
            input_responses: Map::new(),
        }
    }

    /// Returns the same call with one argument changed.
    #[must_use]
    pub fn with(&self, argument: impl Into<String>, value: impl Into<Value>) -> ToolCall {
        let mut call = self.clone();
        call.args.insert(argument.into(), value.into());
        call
    }
}

/// The answer of a tool that ran (`ToolPostInvokePayload`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// The name of the tool.
    pub name: Cow<'static, str>,
    /// The result as JSON: an object with `content`, `structuredContent` and `isError`.
    pub result: Value,
}

impl ToolResult {
    /// Creates the payload of a tool's answer.
    pub fn new(name: impl Into<Cow<'static, str>>, result: Value) -> ToolResult {
        ToolResult {
            name: name.into(),
            result,
        }
    }
}

/// A request for a prompt (`PromptPrehookPayload`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptFetch {
    /// The name of the prompt.
    pub prompt_id: String,
    /// The arguments.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// The user's answers to questions of the prompt itself, as in [`ToolCall`].
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub input_responses: Map<String, Value>,
}

impl PromptFetch {
    /// Creates the payload of a request for a prompt.
    pub fn new(prompt_id: impl Into<String>, args: Map<String, Value>) -> PromptFetch {
        PromptFetch {
            prompt_id: prompt_id.into(),
            args,
            input_responses: Map::new(),
        }
    }
}

/// A prompt that was fetched (`PromptPosthookPayload`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptResult {
    /// The name of the prompt.
    pub prompt_id: String,
    /// The result as JSON: an object with `messages` and `description`.
    pub result: Value,
}

impl PromptResult {
    /// Creates the payload of a fetched prompt.
    pub fn new(prompt_id: impl Into<String>, result: Value) -> PromptResult {
        PromptResult {
            prompt_id: prompt_id.into(),
            result,
        }
    }
}

/// A request to read a resource (`ResourcePreFetchPayload`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResourceFetch {
    /// The URI of the resource.
    pub uri: String,
    /// The `_meta` of the request.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// The user's answers to questions of the resource itself, as in [`ToolCall`].
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub input_responses: Map<String, Value>,
}

impl ResourceFetch {
    /// Creates the payload of a request to read a resource.
    pub fn new(uri: impl Into<String>, metadata: Map<String, Value>) -> ResourceFetch {
        ResourceFetch {
            uri: uri.into(),
            metadata,
            input_responses: Map::new(),
        }
    }
}

/// A resource that was read (`ResourcePostFetchPayload`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResourceResult {
    /// The URI of the resource.
    pub uri: String,
    /// The contents as JSON: a list of objects with `uri`, `mimeType`, and `text` or `blob`.
    pub content: Value,
    /// The `_meta` of the answer.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl ResourceResult {
    /// Creates the payload of a resource that was read.
    pub fn new(uri: impl Into<String>, content: Value) -> ResourceResult {
        ResourceResult {
            uri: uri.into(),
            content,
            metadata: Map::new(),
        }
    }
}

impl Payload for ToolCall {
    type Change = ToolCall;

    fn item(&self) -> &str {
        &self.name
    }

    fn size(&self, limit: usize) -> usize {
        let headers = self.headers.iter().flat_map(HttpHeaders::iter);
        let measure = Measure::new(limit)
            .name(&self.name)
            .map(&self.args)
            .map(&self.input_responses);
        headers
            .fold(measure, |measure, (name, value)| {
                measure.name(name).text(value)
            })
            .ended()
    }

    changed!(ToolCall: name, args, headers; keeps input_responses);

    fn root(&self, root: &str) -> Option<Subject<'_>> {
        match root {
            "args" => Some(Subject::Object(&self.args)),
            "input_responses" => Some(Subject::Object(&self.input_responses)),
            _ => None,
        }
    }

    fn headers(&self) -> Option<&HttpHeaders> {
        self.headers.as_ref()
    }

    fn restricted(&self) -> Option<(&'static str, Cow<'_, Value>)> {
        Some(("inputSchema", Cow::Owned(Value::Object(self.args.clone()))))
    }
}

impl Payload for ToolResult {
    type Change = ToolResult;

    fn item(&self) -> &str {
        &self.name
    }

    fn size(&self, limit: usize) -> usize {
        let measure = Measure::new(limit).name(&self.name);
        measure.json(&self.result).ended()
    }

    changed!(ToolResult: name, result);

    fn root(&self, root: &str) -> Option<Subject<'_>> {
        (root == "result").then_some(Subject::Value(&self.result))
    }

    fn restricted(&self) -> Option<(&'static str, Cow<'_, Value>)> {
        let failed = self.result.get("isError").and_then(Value::as_bool);
        let structured = self.result.get("structuredContent")?;
        (failed != Some(true)).then_some(("outputSchema", Cow::Borrowed(structured)))
    }
}

impl Payload for PromptFetch {
    type Change = PromptFetch;

    fn item(&self) -> &str {
        &self.prompt_id
    }

    fn size(&self, limit: usize) -> usize {
        let measure = Measure::new(limit).name(&self.prompt_id);
        measure.map(&self.args).map(&self.input_responses).ended()
    }

    changed!(PromptFetch: prompt_id, args; keeps input_responses);

    fn root(&self, root: &str) -> Option<Subject<'_>> {
        match root {
            "args" => Some(Subject::Object(&self.args)),
            "input_responses" => Some(Subject::Object(&self.input_responses)),
            _ => None,
        }
    }
}

impl Payload for PromptResult {
    type Change = PromptResult;

    fn item(&self) -> &str {
        &self.prompt_id
    }

    fn size(&self, limit: usize) -> usize {
        let measure = Measure::new(limit).name(&self.prompt_id);
        measure.json(&self.result).ended()
    }

    changed!(PromptResult: prompt_id, result);

    fn root(&self, root: &str) -> Option<Subject<'_>> {
        (root == "result").then_some(Subject::Value(&self.result))
    }
}

impl Payload for ResourceFetch {
    type Change = ResourceFetch;

    fn item(&self) -> &str {
        &self.uri
    }

    fn size(&self, limit: usize) -> usize {
        Measure::new(limit)
            .text(&self.uri)
            .map(&self.metadata)
            .map(&self.input_responses)
            .ended()
    }

    changed!(ResourceFetch: uri, metadata; keeps input_responses);

    fn root(&self, root: &str) -> Option<Subject<'_>> {
        match root {
            "metadata" => Some(Subject::Object(&self.metadata)),
            "input_responses" => Some(Subject::Object(&self.input_responses)),
            _ => None,
        }
    }
}

impl Payload for ResourceResult {
    type Change = ResourceResult;

    fn item(&self) -> &str {
        &self.uri
    }

    fn size(&self, limit: usize) -> usize {
        Measure::new(limit)
            .name(&self.uri)
            .json(&self.content)
            .map(&self.metadata)
            .ended()
    }

    changed!(ResourceResult: uri, content, metadata);

    fn root(&self, root: &str) -> Option<Subject<'_>> {
        match root {
            "content" => Some(Subject::Value(&self.content)),
            "metadata" => Some(Subject::Object(&self.metadata)),
            _ => None,
        }
    }

    fn content_type(&self) -> Option<&str> {
        self.content_types().into_iter().next().flatten()
    }

    fn content_types(&self) -> Vec<Option<&str>> {
        let contents = self.content.as_array();
        let types = contents.into_iter().flatten();
        types
            .map(|content| content.get("mimeType").and_then(Value::as_str))
            .collect()
    }
}
