//! Tools, prompts and resources: how each becomes a payload, and back.

use std::borrow::Cow;

use rmcp::{
    ErrorData,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, GetPromptRequestParams,
        GetPromptResponse, InputRequiredResult, InputResponses, ReadResourceRequestParams,
        ReadResourceResponse, ReadResourceResult, RequestMetaObject, ResourceContents,
    },
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::refusal;
use crate::{
    plugin::{
        Denial, HttpHeaders, ListOf, PluginPoint, PromptFetch, PromptResult, ResourceFetch,
        ResourceResult, ToolCall, ToolResult, point,
    },
    server::pipeline::{McpRequest, McpResponse},
};

/// A payload of a point whose changes are payloads.
pub(super) type PayloadOf<P> = <P as PluginPoint>::Payload;

/// One family of items: the points before and after, and the messages of rmcp around them.
pub(super) trait ItemFamily: Send + Sync + 'static {
    type Pre: PluginPoint<Payload: Serialize + DeserializeOwned> + Default + Send;
    type Post: PluginPoint<Payload: Serialize + DeserializeOwned> + Default + Send;
    type Params: Send;
    const LIST: ListOf;

    /// Returns the params of a request for an item.
    fn params(asked: &mut McpRequest) -> Option<&mut Self::Params>;

    /// Returns the name of the item.
    fn name(params: &Self::Params) -> &str;

    /// Returns what a `requestState` is bound to: the name and the arguments.
    fn content(params: &Self::Params) -> Value;

    /// Takes the payload out of the params. [`put`](ItemFamily::put) puts it back.
    fn take(params: &mut Self::Params, headers: Option<HttpHeaders>) -> PayloadOf<Self::Pre>;

    /// Puts a payload into the params. Returns its headers.
    fn put(payload: PayloadOf<Self::Pre>, params: &mut Self::Params) -> Option<HttpHeaders>;

    /// Returns the user's answers to questions of the author's own code.
    fn inputs(payload: &mut PayloadOf<Self::Pre>) -> &mut Map<String, Value>;

    /// Returns the answers of the client's user, and the state that the client sent back.
    fn retry(params: &mut Self::Params) -> (&mut Option<InputResponses>, &mut Option<String>);

    /// Returns the payload of an answer, or `None` if the answer is not the final one.
    fn answered(
        name: &str,
        answer: &Result<McpResponse, ErrorData>,
    ) -> Option<PayloadOf<Self::Post>>;

    /// Replaces the answer by a changed payload.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the payload.
    fn replace(
        payload: PayloadOf<Self::Post>,
        answer: &mut Result<McpResponse, ErrorData>,
    ) -> Result<(), String>;

    /// Returns the question of the author's own code, if it asks.
    fn own_question(
        answer: &mut Result<McpResponse, ErrorData>,
    ) -> Option<&mut InputRequiredResult>;

    /// Returns an answer that asks the client.
    fn question(result: InputRequiredResult) -> McpResponse;

    /// Returns the answer to a refused request.
    fn refused(blocked: &Denial, exposes_names: bool) -> Result<McpResponse, ErrorData>;
}

pub(super) struct Tools;
pub(super) struct Prompts;
pub(super) struct Resources;

impl ItemFamily for Tools {
    type Pre = point::tool_pre_invoke;
    type Post = point::tool_post_invoke;
    type Params = CallToolRequestParams;
    const LIST: ListOf = ListOf::Tools;

    fn params(asked: &mut McpRequest) -> Option<&mut CallToolRequestParams> {
        match asked {
            McpRequest::CallTool(params) => Some(params),
            _ => None,
        }
    }

    fn name(params: &CallToolRequestParams) -> &str {
        &params.name
    }

    fn content(params: &CallToolRequestParams) -> Value {
        json!({"name": params.name, "arguments": params.arguments})
    }

    fn take(params: &mut CallToolRequestParams, headers: Option<HttpHeaders>) -> ToolCall {
        let name = std::mem::take(&mut params.name);
        let mut call = ToolCall::new(name, params.arguments.take().unwrap_or_default());
        call.headers = headers;
        call.input_responses = inputs(&mut params.input_responses);
        call
    }

    fn put(payload: ToolCall, params: &mut CallToolRequestParams) -> Option<HttpHeaders> {
        params.name = payload.name;
        params.arguments = (!payload.args.is_empty()).then_some(payload.args);
        params.input_responses = responses(payload.input_responses);
        payload.headers
    }

    fn inputs(payload: &mut ToolCall) -> &mut Map<String, Value> {
        &mut payload.input_responses
    }

    fn retry(
        params: &mut CallToolRequestParams,
    ) -> (&mut Option<InputResponses>, &mut Option<String>) {
        (&mut params.input_responses, &mut params.request_state)
    }

    fn answered(name: &str, answer: &Result<McpResponse, ErrorData>) -> Option<ToolResult> {
        let result = match answer {
            Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => json(result),
            Ok(_) => return None,
            Err(error) => json!({
                "content": [{"type": "text", "text": error.message}],
                "isError": true,
            }),
        };
        Some(ToolResult::new(Cow::Owned(name.to_owned()), result))
    }

    fn replace(
        payload: ToolResult,
        answer: &mut Result<McpResponse, ErrorData>,
    ) -> Result<(), String> {
        let result: CallToolResult = read(payload.result)?;
        *answer = Ok(McpResponse::CallTool(result.into()));
        Ok(())
    }

    fn own_question(
        answer: &mut Result<McpResponse, ErrorData>,
    ) -> Option<&mut InputRequiredResult> {
        match answer {
            Ok(McpResponse::CallTool(CallToolResponse::InputRequired(result))) => Some(result),
            _ => None,
        }
    }

    fn question(result: InputRequiredResult) -> McpResponse {
        McpResponse::CallTool(result.into())
    }

    fn refused(blocked: &Denial, exposes_names: bool) -> Result<McpResponse, ErrorData> {
        Ok(McpResponse::CallTool(
            refusal::tool(blocked, exposes_names).into(),
        ))
    }
}

impl ItemFamily for Prompts {
    type Pre = point::prompt_pre_fetch;
    type Post = point::prompt_post_fetch;
    type Params = GetPromptRequestParams;
    const LIST: ListOf = ListOf::Prompts;

    fn params(asked: &mut McpRequest) -> Option<&mut GetPromptRequestParams> {
        match asked {
            McpRequest::GetPrompt(params) => Some(params),
            _ => None,
        }
    }

    fn name(params: &GetPromptRequestParams) -> &str {
        &params.name
    }

    fn content(params: &GetPromptRequestParams) -> Value {
        json!({"name": params.name, "arguments": params.arguments})
    }

    fn take(params: &mut GetPromptRequestParams, _: Option<HttpHeaders>) -> PromptFetch {
        let name = std::mem::take(&mut params.name);
        let mut fetch = PromptFetch::new(name, params.arguments.take().unwrap_or_default());
        fetch.input_responses = inputs(&mut params.input_responses);
        fetch
    }

    fn put(payload: PromptFetch, params: &mut GetPromptRequestParams) -> Option<HttpHeaders> {
        params.name = payload.prompt_id;
        params.arguments = (!payload.args.is_empty()).then_some(payload.args);
        params.input_responses = responses(payload.input_responses);
        None
    }

    fn inputs(payload: &mut PromptFetch) -> &mut Map<String, Value> {
        &mut payload.input_responses
    }

    fn retry(
        params: &mut GetPromptRequestParams,
    ) -> (&mut Option<InputResponses>, &mut Option<String>) {
        (&mut params.input_responses, &mut params.request_state)
    }

    fn answered(name: &str, answer: &Result<McpResponse, ErrorData>) -> Option<PromptResult> {
        match answer {
            Ok(McpResponse::GetPrompt(GetPromptResponse::Complete(result))) => {
                Some(PromptResult::new(name, json(result)))
            }
            _ => None,
        }
    }

    fn replace(
        payload: PromptResult,
        answer: &mut Result<McpResponse, ErrorData>,
    ) -> Result<(), String> {
        *answer = Ok(McpResponse::GetPrompt(GetPromptResponse::Complete(read(
            payload.result,
        )?)));
        Ok(())
    }

    fn own_question(
        answer: &mut Result<McpResponse, ErrorData>,
    ) -> Option<&mut InputRequiredResult> {
        match answer {
            Ok(McpResponse::GetPrompt(GetPromptResponse::InputRequired(result))) => Some(result),
            _ => None,
        }
    }

    fn question(result: InputRequiredResult) -> McpResponse {
        McpResponse::GetPrompt(result.into())
    }

    fn refused(blocked: &Denial, exposes_names: bool) -> Result<McpResponse, ErrorData> {
        Err(refusal::error(blocked, exposes_names))
    }
}

impl ItemFamily for Resources {
    type Pre = point::resource_pre_fetch;
    type Post = point::resource_post_fetch;
    type Params = ReadResourceRequestParams;
    const LIST: ListOf = ListOf::Resources;

    fn params(asked: &mut McpRequest) -> Option<&mut ReadResourceRequestParams> {
        match asked {
            McpRequest::ReadResource(params) => Some(params),
            _ => None,
        }
    }

    fn name(params: &ReadResourceRequestParams) -> &str {
        &params.uri
    }

    fn content(params: &ReadResourceRequestParams) -> Value {
        json!({"uri": params.uri})
    }

    fn take(params: &mut ReadResourceRequestParams, _: Option<HttpHeaders>) -> ResourceFetch {
        let metadata = params.meta.as_ref().and_then(|meta| match json(meta) {
            Value::Object(members) => Some(members),
            _ => None,
        });
        let uri = std::mem::take(&mut params.uri);
        let mut fetch = ResourceFetch::new(uri, metadata.unwrap_or_default());
        fetch.input_responses = inputs(&mut params.input_responses);
        fetch
    }

    fn put(payload: ResourceFetch, params: &mut ReadResourceRequestParams) -> Option<HttpHeaders> {
        params.uri = payload.uri;
        if params.meta.is_some() || !payload.metadata.is_empty() {
            params.meta = read::<RequestMetaObject>(Value::Object(payload.metadata)).ok();
        }
        params.input_responses = responses(payload.input_responses);
        None
    }

    fn inputs(payload: &mut ResourceFetch) -> &mut Map<String, Value> {
        &mut payload.input_responses
    }

    fn retry(
        params: &mut ReadResourceRequestParams,
    ) -> (&mut Option<InputResponses>, &mut Option<String>) {
        (&mut params.input_responses, &mut params.request_state)
    }

    fn answered(name: &str, answer: &Result<McpResponse, ErrorData>) -> Option<ResourceResult> {
        match answer {
            Ok(McpResponse::ReadResource(ReadResourceResponse::Complete(result))) => {
                let mut payload = ResourceResult::new(name, json(&result.contents));
                if let Some(Value::Object(members)) = result.meta.as_ref().map(json) {
                    payload.metadata = members;
                }
                Some(payload)
            }
            _ => None,
        }
    }

    fn replace(
        payload: ResourceResult,
        answer: &mut Result<McpResponse, ErrorData>,
    ) -> Result<(), String> {
        let contents: Vec<ResourceContents> = read(payload.content)?;
        match answer {
            Ok(McpResponse::ReadResource(ReadResourceResponse::Complete(result))) => {
                result.contents = contents;
                if result.meta.is_some() || !payload.metadata.is_empty() {
                    result.meta = Some(read(Value::Object(payload.metadata))?);
                }
            }
            _ => {
                *answer = Ok(McpResponse::ReadResource(
                    ReadResourceResult::new(contents).into(),
                ))
            }
        }
        Ok(())
    }

    fn own_question(
        answer: &mut Result<McpResponse, ErrorData>,
    ) -> Option<&mut InputRequiredResult> {
        match answer {
            Ok(McpResponse::ReadResource(ReadResourceResponse::InputRequired(result))) => {
                Some(result)
            }
            _ => None,
        }
    }

    fn question(result: InputRequiredResult) -> McpResponse {
        McpResponse::ReadResource(result.into())
    }

    fn refused(blocked: &Denial, exposes_names: bool) -> Result<McpResponse, ErrorData> {
        Err(refusal::error(blocked, exposes_names))
    }
}

/// Takes the user's answers out of the params of a request.
fn inputs(responses: &mut Option<InputResponses>) -> Map<String, Value> {
    responses.take().into_iter().flatten().collect()
}

fn responses(inputs: Map<String, Value>) -> Option<InputResponses> {
    (!inputs.is_empty()).then(|| inputs.into_iter().collect())
}

/// Returns a value of rmcp's as JSON.
pub(super) fn json(value: &impl Serialize) -> Value {
    // rmcp's types have no keys but strings, so this cannot fail. A failure would show hooks nothing.
    serde_json::to_value(value).unwrap_or_default()
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|wrong| wrong.to_string())
}
