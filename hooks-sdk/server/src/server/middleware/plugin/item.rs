//! Tools, prompts and resources: how each becomes a payload, and back.

use std::borrow::Cow;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, GetPromptRequestParams,
    GetPromptResponse, InputRequiredResult, InputResponses, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, RequestMetaObject, ResourceContents,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::chained::ChainedRequest;
use crate::server::{
    methods::{Points, points},
    pipeline::{McpAnswer, McpRequest, McpResponse, NamedItem, question},
};
use hooks_plugin::{
    HttpHeaders, ListOf, PluginPoint, PromptFetch, PromptResult, ResourceFetch, ResourceResult,
    ToolCall, ToolResult, point,
};

/// A payload of a point whose changes are payloads.
pub(super) type PayloadOf<P> = <P as PluginPoint>::Payload;

/// One family of items: the points before and after, and the messages of rmcp around them.
pub(super) trait ItemFamily: Send + Sync + 'static {
    type Pre: PluginPoint<Payload: Serialize + DeserializeOwned> + Default + Send;
    type Post: PluginPoint<Payload: Serialize + DeserializeOwned> + Default + Send;
    type Params: DeserializeOwned + Send;
    const POINTS: Points;

    /// Returns the params of a request for an item.
    fn params(asked: &mut McpRequest) -> Option<&mut Self::Params>;

    /// Returns what a `requestState` is bound to: the name and the arguments.
    fn content(params: &Self::Params) -> Value;

    /// Takes the payload out of the params. [`put`](ItemFamily::put) puts it back.
    fn take(params: &mut Self::Params, headers: Option<HttpHeaders>) -> PayloadOf<Self::Pre>;

    /// Puts a payload into the params. Returns its headers.
    fn put(payload: PayloadOf<Self::Pre>, params: &mut Self::Params) -> Option<HttpHeaders>;

    /// Returns the user's answers to questions of the author's own code.
    fn inputs(_: &mut PayloadOf<Self::Pre>) -> Option<&mut Map<String, Value>> {
        None
    }

    /// Returns the answers of the client's user, and the state that the client sent back. `None` if a request for such an
    /// item cannot wait for a user.
    fn retry(_: &mut Self::Params) -> Option<Retry<'_>> {
        None
    }

    /// Returns the payload of an answer, or `None` if the answer is not the final one.
    fn answered(running: &ChainedRequest, answer: &McpAnswer) -> Option<PayloadOf<Self::Post>>;

    /// Replaces the answer by a changed payload.
    /// Returns what is wrong with the payload.
    fn replace(payload: PayloadOf<Self::Post>, answer: &mut McpAnswer) -> Result<(), String>;

    /// Returns an answer that asks the client. `None` if a request for such an item cannot wait for a user.
    fn question(_: InputRequiredResult) -> Option<McpResponse> {
        None
    }
}

/// The answers of the client's user, and the state that the client sent back.
pub(super) type Retry<'p> = (&'p mut Option<InputResponses>, &'p mut Option<String>);

macro_rules! families {
    ($($kind:ident $family:ident $(in $file:ident)?;)+) => {
        $(pub(super) struct $family;)+
        families!(($) $($kind $family)+);
    };
    (($d:tt) $($kind:ident $of:ident)+) => {
        /// Runs an expression with the family of a request's points as a type.
        macro_rules! with_family {
            ($d points:expr, $d family:ident => $d run:expr) => {
                match $d points {
                    $($crate::server::methods::Points::$kind => {
                        type $d family = $crate::server::middleware::plugin::item::$of;
                        $d run
                    })+
                }
            };
        }
    };
}
points!(families);
pub(super) use with_family;

/// The parts of a family whose requests may wait for a user: its points, rmcp's types, and the members with the item's name and
/// its arguments.
macro_rules! waits {
    (
        $points:ident: $pre:ident, $post:ident; $request:ident($params:ident);
        $name:ident $(with $arguments:ident)?
    ) => {
        type Pre = point::$pre;
        type Post = point::$post;
        type Params = $params;
        const POINTS: Points = Points::$points;

        fn params(asked: &mut McpRequest) -> Option<&mut $params> {
            match asked {
                McpRequest::$request(params) => Some(params),
                _ => None,
            }
        }

        fn content(params: &$params) -> Value {
            json!({
                stringify!($name): params.$name,
                $(stringify!($arguments): params.$arguments,)?
            })
        }

        fn inputs(payload: &mut PayloadOf<point::$pre>) -> Option<&mut Map<String, Value>> {
            Some(&mut payload.input_responses)
        }

        fn retry(params: &mut $params) -> Option<Retry<'_>> {
            Some((&mut params.input_responses, &mut params.request_state))
        }

        fn question(result: InputRequiredResult) -> Option<McpResponse> {
            Some(McpResponse::$request(result.into()))
        }
    };
}

impl ItemFamily for Tools {
    waits! {
        Tool: tool_pre_invoke, tool_post_invoke; CallTool(CallToolRequestParams);
        name with arguments
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

    fn answered(running: &ChainedRequest, answer: &McpAnswer) -> Option<ToolResult> {
        let result = match answer {
            Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => json(result),
            Ok(_) => return None,
            Err(error) => json!({
                "content": [{"type": "text", "text": error.message}],
                "isError": true,
            }),
        };
        Some(ToolResult::new(Cow::Owned(running.name.clone()), result))
    }

    fn replace(payload: ToolResult, answer: &mut McpAnswer) -> Result<(), String> {
        let result: CallToolResult = read(payload.result)?;
        *answer = Ok(McpResponse::CallTool(result.into()));
        Ok(())
    }
}

impl ItemFamily for Prompts {
    waits! {
        Prompt: prompt_pre_fetch, prompt_post_fetch; GetPrompt(GetPromptRequestParams);
        name with arguments
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

    fn answered(running: &ChainedRequest, answer: &McpAnswer) -> Option<PromptResult> {
        match answer {
            Ok(McpResponse::GetPrompt(GetPromptResponse::Complete(result))) => {
                Some(PromptResult::new(running.name.clone(), json(result)))
            }
            _ => None,
        }
    }

    fn replace(payload: PromptResult, answer: &mut McpAnswer) -> Result<(), String> {
        *answer = Ok(McpResponse::GetPrompt(GetPromptResponse::Complete(read(
            payload.result,
        )?)));
        Ok(())
    }
}

impl ItemFamily for Resources {
    waits! {
        Resource: resource_pre_fetch, resource_post_fetch; ReadResource(ReadResourceRequestParams);
        uri
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

    fn answered(running: &ChainedRequest, answer: &McpAnswer) -> Option<ResourceResult> {
        match answer {
            Ok(McpResponse::ReadResource(ReadResourceResponse::Complete(result))) => {
                let name = running.name.clone();
                let mut payload = ResourceResult::new(name, json(&result.contents));
                if let Some(Value::Object(members)) = result.meta.as_ref().map(json) {
                    payload.metadata = members;
                }
                Some(payload)
            }
            _ => None,
        }
    }

    fn replace(payload: ResourceResult, answer: &mut McpAnswer) -> Result<(), String> {
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
}

/// Returns the list in which the item of a request stands, and its name.
pub(super) fn item(asked: &McpRequest) -> Option<(ListOf, &str)> {
    match asked.named() {
        NamedItem::Tool(name) => Some((ListOf::Tools, name)),
        NamedItem::Prompt(name) => Some((ListOf::Prompts, name)),
        // A reference to a resource may be a template or a URI.
        NamedItem::ResourceTemplate(uri) if uri.contains('{') => {
            Some((ListOf::ResourceTemplates, uri))
        }
        NamedItem::Resource(uri) | NamedItem::ResourceTemplate(uri) => {
            Some((ListOf::Resources, uri))
        }
        // Hooks for every item see it.
        NamedItem::Unknown => Some((ListOf::ResourceTemplates, "")),
        NamedItem::Nothing | NamedItem::Task(_) => None,
    }
}

/// Returns the question of the author's own code, if it asks.
pub(super) fn own_question(answer: &mut McpAnswer) -> Option<&mut InputRequiredResult> {
    question(answer.as_mut().ok()?)
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

pub(super) fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|wrong| wrong.to_string())
}
