//! Reads the message on a line. The most frequent ones are read directly, if the result is exactly rmcp's: calls of tools, prompts and
//! resources, and methods that MCP does not define. All others are read as rmcp does.

mod fallback;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use rmcp::{
    ErrorData,
    model::{
        CallToolRequestParams, ClientJsonRpcMessage, ClientNotification, ClientRequest,
        CustomNotification, CustomRequest, GetExtensions, GetPromptRequestParams, InputResponses,
        JsonObject, JsonRpcMessage, NotificationMetaObject, ReadResourceRequestParams, Request,
        RequestId, RequestMetaObject,
    },
};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;

use super::message::{Id, Malformed, members};
use crate::server::{connection::Connection, methods::is_of_client};

/// `serde_json` gives such names a meaning of their own, which depends on their place.
const RESERVED: &str = "$serde_json::";

/// The methods of MCP that are read here.
const METHODS: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];

/// The entry of `experimental` that holds a client's top-level `hooks` capability while rmcp's types hold the message.
pub(crate) const HOOKS: &str = "hooks-sdk/hooks";

/// The member of `_meta` with the client's capabilities, in requests of protocol 2026-07-28.
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The member of `_meta` with the revision of MCP, in requests of protocol 2026-07-28.
pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The parts of messages that middleware want and that rmcp's types drop.
pub(crate) struct WantedMembers<'w> {
    /// The names of members in the params of a call of a tool.
    pub(crate) of_a_call: &'w [&'static str],
    /// Returns whether a middleware wants the whole result of the answer to this request of the server.
    pub(crate) whole_result: &'w dyn Fn(&RequestId) -> bool,
}

/// A message with its wanted members.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) message: ClientJsonRpcMessage,
    /// The wanted members of a call of a tool.
    pub(crate) members: JsonObject,
}

/// Reads the message on a line. Returns `None` for a notification that MCP does not define: no side answers it.
pub(crate) fn read(line: &[u8], wanted: &WantedMembers<'_>) -> Result<Option<Read>, Malformed> {
    let mut read = match read_directly(line, wanted) {
        Some(read) => Some(read),
        None => fallback::read(line, wanted)?,
    };
    if let Some(read) = &mut read {
        drop_wrong_capabilities(&mut read.message);
    }
    Ok(read)
}

impl Connection {
    /// Reads the message on a line, with the members of it that the middleware want. A malformed answer to an open request of the
    /// server is read as an error: whoever waits for it would wait for ever.
    pub(super) fn read(
        &self,
        line: &[u8],
        is_open: impl FnOnce(&RequestId) -> bool,
    ) -> Result<Option<Read>, Malformed> {
        let wanted = WantedMembers {
            of_a_call: self.members_of_a_call(),
            whole_result: &|id| self.settles(id),
        };
        read(line, &wanted).or_else(|malformed| {
            let id = malformed.id.as_ref().and_then(Id::as_rmcp);
            let Some(id) = id.filter(|id| !members(line).contains_key("method") && is_open(id))
            else {
                return Err(malformed);
            };
            let error =
                ErrorData::internal_error("the host's answer is no JSON-RPC response", None);
            Ok(Some(Read {
                message: JsonRpcMessage::error(error, Some(id)),
                members: JsonObject::new(),
            }))
        })
    }
}

/// Removes entries of the wrong shape from the client capabilities in a request's `_meta`. They count as not declared.
fn drop_wrong_capabilities(message: &mut ClientJsonRpcMessage) {
    if let JsonRpcMessage::Request(request) = message
        && let extensions = request.request.extensions_mut()
        && let Some(meta) = extensions.get_mut::<RequestMetaObject>()
        && let Some(Value::Object(capabilities)) = meta.get_mut(CLIENT_CAPABILITIES)
    {
        drop_wrong_shapes(capabilities);
    }
}

fn drop_wrong_shapes(capabilities: &mut JsonObject) -> bool {
    let mut changed = false;
    for name in ["experimental", "extensions"] {
        match capabilities.get_mut(name) {
            None => {}
            Some(Value::Object(entries)) => {
                let before = entries.len();
                entries.retain(|_, entry| entry.is_object());
                changed |= entries.len() != before;
            }
            Some(_) => {
                capabilities.remove(name);
                changed = true;
            }
        }
    }
    changed
}

/// Reads a message. Returns `None` if the message is of another kind, or has members that its type lacks.
///
/// rmcp reads every message that is read here to the same value. A line that is not read here may still be a message.
fn read_directly(line: &[u8], wanted: &WantedMembers<'_>) -> Option<Read> {
    let is_in_line = |method: &&str| memchr::memmem::find(line, method.as_bytes()).is_some();
    // A custom message whose params name one of the methods is not read here.
    let is_of_mcp = METHODS.iter().any(is_in_line);
    let line = str::from_utf8(line).ok()?;
    match is_of_mcp {
        true => serde_json::from_str::<Message<'_, Params>>(line)
            .ok()?
            .read(wanted),
        false => serde_json::from_str::<Message<'_, CustomParams>>(line)
            .ok()?
            .read(),
    }
}

/// A message with params of one kind. Unknown members, and members that are given twice, are not read here.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "P: Deserialize<'de>"))]
struct Message<'m, P> {
    #[serde(borrow)]
    jsonrpc: Cow<'m, str>,
    #[serde(default, deserialize_with = "given")]
    id: Option<RequestId>,
    #[serde(borrow, deserialize_with = "method")]
    method: Cow<'m, str>,
    #[serde(default = "none", deserialize_with = "given")]
    params: Option<P>,
}

/// The params of a call of a tool, a prompt or a resource, with the members that a middleware may want beside.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Params {
    #[serde(rename = "_meta")]
    meta: Option<JsonObject>,
    name: Option<String>,
    uri: Option<String>,
    arguments: Option<JsonObject>,
    input_responses: Option<InputResponses>,
    request_state: Option<String>,
    #[serde(default, deserialize_with = "given")]
    state: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    checkpoint: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    scope: Option<Value>,
}

/// The params of a method that MCP does not define.
#[derive(Default, Deserialize)]
struct CustomParams {
    #[serde(rename = "_meta")]
    meta: Option<JsonObject>,
    #[serde(flatten)]
    others: JsonObject,
}

#[derive(Deserialize)]
struct Text<'t>(#[serde(borrow)] Cow<'t, str>);

fn none<T>() -> Option<T> {
    None
}

/// Reads a member that is there, also as `null`.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// Reads a method whose messages are read here.
fn method<'de, D: Deserializer<'de>>(from: D) -> Result<Cow<'de, str>, D::Error> {
    let Text(method) = Text::deserialize(from)?;
    match !METHODS.contains(&&*method) && is_of_client(&method) {
        true => Err(D::Error::custom("another method")),
        false => Ok(method),
    }
}

impl Message<'_, Params> {
    fn read(self, wanted: &WantedMembers<'_>) -> Option<Read> {
        let (id, params) = (self.id?, self.params?);
        let wanted = match &*self.method {
            "tools/call" => wanted.of_a_call,
            _ => &[],
        };
        let beside = [
            ("state", params.state),
            ("checkpoint", params.checkpoint),
            ("scope", params.scope),
        ];
        let mut members = JsonObject::new();
        for (name, value) in beside {
            if let Some(value) = value {
                wanted.contains(&name).then_some(())?;
                members.insert(name.to_owned(), value);
            }
        }
        let mut request = match &*self.method {
            "tools/call" => {
                let mut call = CallToolRequestParams::new(params.name?);
                call.arguments = params.arguments;
                call.input_responses = params.input_responses;
                call.request_state = params.request_state;
                ClientRequest::CallToolRequest(Request::new(call))
            }
            "prompts/get" => {
                let mut get = GetPromptRequestParams::new(params.name?);
                get.arguments = params.arguments;
                get.input_responses = params.input_responses;
                get.request_state = params.request_state;
                ClientRequest::GetPromptRequest(Request::new(get))
            }
            "resources/read" => {
                let mut reading = ReadResourceRequestParams::new(params.uri?);
                reading.input_responses = params.input_responses;
                reading.request_state = params.request_state;
                ClientRequest::ReadResourceRequest(Request::new(reading))
            }
            _ => return None,
        };
        if let Some(meta) = params.meta {
            let extensions = request.extensions_mut();
            extensions.insert(RequestMetaObject::from(meta));
        }
        let message = JsonRpcMessage::request(request, id);
        (self.jsonrpc == "2.0").then_some(Read { message, members })
    }
}

impl Message<'_, CustomParams> {
    fn read(self) -> Option<Read> {
        // Its method may be written with escapes.
        let is_custom = !METHODS.contains(&&*self.method);
        let (method, has_params) = (self.method.into_owned(), self.params.is_some());
        let CustomParams { meta, others } = self.params.unwrap_or_default();
        let is_plain = !others.keys().any(|name| name.starts_with(RESERVED));
        let params = has_params.then_some(Value::Object(others));
        let message: ClientJsonRpcMessage = if let Some(id) = self.id {
            let mut request = CustomRequest::new(method, params);
            if let Some(meta) = meta {
                request.extensions.insert(RequestMetaObject::from(meta));
            }
            JsonRpcMessage::request(ClientRequest::CustomRequest(request), id)
        } else {
            let mut told = CustomNotification::new(method, params);
            if let Some(meta) = meta {
                told.extensions.insert(NotificationMetaObject::from(meta));
            }
            JsonRpcMessage::notification(ClientNotification::CustomNotification(told))
        };
        let members = JsonObject::new();
        (is_custom && is_plain && self.jsonrpc == "2.0").then_some(Read { message, members })
    }
}
