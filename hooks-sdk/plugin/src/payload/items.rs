//! The payloads of tools, prompts and resources.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{HttpHeaders, Payload, Writable, guard, measure::Measure, payload};
use hooks_core::condition::Subject;

payload! {
    /// A call of a tool, before the tool runs (`ToolPreInvokePayload`).
    ///
    /// ```
    /// use hooks_sdk::plugin::ToolCall;
    /// use serde_json::Map;
    ///
    /// let call = ToolCall::new("add_note", Map::new()).with("text", "hello");
    /// assert_eq!(call.args["text"], "hello");
    /// ```
    pub struct ToolCall {
        /// The name of the tool.
        name: Cow<'static, str>,
        /// The arguments.
        #[serde(default)]
        args: Map<String, Value>,
        /// The headers of the HTTP request; `None` where the call did not arrive over HTTP.
        ///
        /// A change is seen by later hooks and by the tool, through [`Headers`](crate::Headers) in the extensions
        /// of its request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        headers: Option<HttpHeaders>,
        /// The user's answers to questions of the tool itself, by the name of the question, when the client calls the tool
        /// again with them.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        input_responses: Map<String, Value>,
    }
    new "Creates a call without headers." (name: impl Into<Cow<'static, str>>, args: Map<String, Value>),
    item name,
    size name name map args map input_responses headers headers,
    change name args headers, keeps input_responses,
    roots args Object input_responses Object,

    fn headers(&self) -> Option<&HttpHeaders> {
        self.headers.as_ref()
    }

    fn restricted(&self) -> Option<(&'static str, Cow<'_, Value>)> {
        Some(("inputSchema", Cow::Owned(Value::Object(self.args.clone()))))
    }
}

impl ToolCall {
    /// Returns the same call with one argument changed.
    #[must_use]
    pub fn with(&self, argument: impl Into<String>, value: impl Into<Value>) -> ToolCall {
        let mut call = self.clone();
        call.args.insert(argument.into(), value.into());
        call
    }
}

payload! {
    /// The answer of a tool that ran (`ToolPostInvokePayload`).
    ///
    /// ```
    /// use hooks_sdk::plugin::ToolResult;
    /// use serde_json::json;
    ///
    /// let result = ToolResult::new("add_note", json!({"content": [], "isError": false}));
    /// assert_eq!(result.name, "add_note");
    /// ```
    pub struct ToolResult {
        /// The name of the tool.
        name: Cow<'static, str>,
        /// The result as JSON: an object with `content`, `structuredContent` and `isError`.
        result: Value,
    }
    new "Creates the payload of a tool's answer." (name: impl Into<Cow<'static, str>>, result: Value),
    item name,
    size name name json result,
    change name result,
    roots result Value,

    fn restricted(&self) -> Option<(&'static str, Cow<'_, Value>)> {
        let failed = self.result.get("isError").and_then(Value::as_bool);
        let structured = self.result.get("structuredContent")?;
        (failed != Some(true)).then_some(("outputSchema", Cow::Borrowed(structured)))
    }
}

payload! {
    /// A request for a prompt (`PromptPrehookPayload`).
    pub struct PromptFetch {
        /// The name of the prompt.
        prompt_id: String,
        /// The arguments.
        #[serde(default)]
        args: Map<String, Value>,
        /// The user's answers to questions of the prompt itself, as in [`ToolCall`].
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        input_responses: Map<String, Value>,
    }
    new "Creates the payload of a request for a prompt." (prompt_id: impl Into<String>, args: Map<String, Value>),
    item prompt_id,
    size name prompt_id map args map input_responses,
    change prompt_id args, keeps input_responses,
    roots args Object input_responses Object,
}

payload! {
    /// A prompt that was fetched (`PromptPosthookPayload`).
    pub struct PromptResult {
        /// The name of the prompt.
        prompt_id: String,
        /// The result as JSON: an object with `messages` and `description`.
        result: Value,
    }
    new "Creates the payload of a fetched prompt." (prompt_id: impl Into<String>, result: Value),
    item prompt_id,
    size name prompt_id json result,
    change prompt_id result,
    roots result Value,
}

payload! {
    /// A request to read a resource (`ResourcePreFetchPayload`).
    pub struct ResourceFetch {
        /// The URI of the resource.
        uri: String,
        /// The `_meta` of the request.
        #[serde(default)]
        metadata: Map<String, Value>,
        /// The user's answers to questions of the resource itself, as in [`ToolCall`].
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        input_responses: Map<String, Value>,
    }
    new "Creates the payload of a request to read a resource." (uri: impl Into<String>, metadata: Map<String, Value>),
    item uri,
    size text uri map metadata map input_responses,
    change uri metadata, keeps input_responses,
    roots metadata Object input_responses Object,
}

payload! {
    /// A resource that was read (`ResourcePostFetchPayload`).
    pub struct ResourceResult {
        /// The URI of the resource.
        uri: String,
        /// The contents as JSON: a list of objects with `uri`, `mimeType`, and `text` or `blob`.
        content: Value,
        /// The `_meta` of the answer.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    }
    new "Creates the payload of a resource that was read." (uri: impl Into<String>, content: Value),
    item uri,
    size name uri json content map metadata,
    change uri content metadata,
    roots content Value metadata Object,

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
