//! Reads the most frequent messages straight from the line: calls of tools, prompts and resources, and methods that MCP does
//! not define.

use std::{borrow::Cow, fmt};

use rmcp::model::{
    CallToolRequestParams, ClientNotification, ClientRequest, CustomNotification, CustomRequest,
    GetExtensions, GetPromptRequestParams, InputResponses, JsonObject, JsonRpcMessage,
    NotificationMetaObject, ReadResourceRequestParams, Request, RequestId, RequestMetaObject,
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, MapAccess, Visitor},
};
use serde_json::Value;

use super::{Read, WantedMembers};
use crate::server::methods::is_of_client;

/// `serde_json` gives such names a meaning of their own, which depends on their place.
const RESERVED: &str = "$serde_json::";

/// Reads a message. Returns `None` if the message is of another kind, or has members that its type lacks.
///
/// rmcp reads every message that is read here to the same value. A line that is not read here may still be a message.
pub(super) fn read(line: &[u8], wanted: &WantedMembers<'_>) -> Option<Read> {
    let line = str::from_utf8(line).ok()?;
    let mut reader = serde_json::Deserializer::from_str(line);
    let mut message = Message {
        wanted: wanted.of_a_call,
        is_version_2: false,
        id: None,
        method: None,
        has_params: false,
        params: Params::default(),
    };
    reader.deserialize_map(&mut message).ok()?;
    reader.end().ok()?;
    message.read()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tool,
    Prompt,
    Resource,
    Custom,
}

struct Message<'w> {
    wanted: &'w [&'static str],
    is_version_2: bool,
    id: Option<RequestId>,
    method: Option<(Kind, String)>,
    has_params: bool,
    params: Params,
}

/// The members of params, of whatever method. A member is `Some` if it was there, even as `null`: one that is given twice is not
/// read here.
#[derive(Default)]
struct Params {
    meta: Option<Option<JsonObject>>,
    name: Option<String>,
    arguments: Option<Option<JsonObject>>,
    input_responses: Option<Option<InputResponses>>,
    request_state: Option<Option<String>>,
    /// The wanted members of a call, or all members of a custom method.
    others: JsonObject,
}

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Visitor<'de> for &mut Message<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(Text(member)) = members.next_key()? {
            match &*member {
                "jsonrpc" if !self.is_version_2 => {
                    self.is_version_2 = members.next_value::<Text<'de>>()?.0 == "2.0";
                    if !self.is_version_2 {
                        return Err(A::Error::custom("another version"));
                    }
                }
                "id" if self.id.is_none() => self.id = Some(members.next_value()?),
                "method" if self.method.is_none() => {
                    let Text(method) = members.next_value()?;
                    let kind = match &*method {
                        "tools/call" => Kind::Tool,
                        "prompts/get" => Kind::Prompt,
                        "resources/read" => Kind::Resource,
                        other if is_of_client(other) => {
                            return Err(A::Error::custom("another method"));
                        }
                        _ => Kind::Custom,
                    };
                    self.method = Some((kind, method.into()));
                }
                "params" if !self.has_params => {
                    let Some((kind, _)) = self.method else {
                        return Err(A::Error::custom("params before their method"));
                    };
                    self.has_params = true;
                    members.next_value_seed(ParamsReader {
                        kind,
                        wanted: self.wanted,
                        params: &mut self.params,
                    })?;
                }
                _ => return Err(A::Error::custom("another member, or one given twice")),
            }
        }
        Ok(())
    }
}

struct ParamsReader<'p> {
    kind: Kind,
    wanted: &'p [&'static str],
    params: &'p mut Params,
}

impl<'de> DeserializeSeed<'de> for ParamsReader<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, params: D) -> Result<(), D::Error> {
        params.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ParamsReader<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("params")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let params = self.params;
        let is_custom = self.kind == Kind::Custom;
        let is_named = !is_custom && self.kind != Kind::Resource;
        while let Some(Text(member)) = members.next_key()? {
            match &*member {
                "_meta" if params.meta.is_none() => params.meta = Some(members.next_value()?),
                "uri" if self.kind == Kind::Resource && params.name.is_none() => {
                    params.name = Some(members.next_value()?);
                }
                "name" if is_named && params.name.is_none() => {
                    params.name = Some(members.next_value()?);
                }
                "arguments" if is_named && params.arguments.is_none() => {
                    params.arguments = Some(members.next_value()?);
                }
                "inputResponses" if !is_custom && params.input_responses.is_none() => {
                    params.input_responses = Some(members.next_value()?);
                }
                "requestState" if !is_custom && params.request_state.is_none() => {
                    params.request_state = Some(members.next_value()?);
                }
                other
                    if self.kind == Kind::Tool && self.wanted.contains(&other)
                        || is_custom && other != "_meta" && !other.starts_with(RESERVED) =>
                {
                    let value: Value = members.next_value()?;
                    params.others.insert(member.into_owned(), value);
                }
                _ => return Err(A::Error::custom("another member, or one given twice")),
            }
        }
        Ok(())
    }
}

impl Message<'_> {
    fn read(self) -> Option<Read> {
        let (kind, method) = self.method.filter(|_| self.is_version_2)?;
        let params = self.params;
        let members = match kind {
            Kind::Tool => params.others,
            _ if kind != Kind::Custom => JsonObject::new(),
            _ => {
                let all = self.has_params.then_some(Value::Object(params.others));
                let message = custom(self.id, method, all, params.meta.flatten());
                return Some(Read {
                    message,
                    members: JsonObject::new(),
                });
            }
        };
        let name = params.name?;
        let mut request = match kind {
            Kind::Tool => {
                let mut call = CallToolRequestParams::new(name);
                call.arguments = params.arguments.flatten();
                call.input_responses = params.input_responses.flatten();
                call.request_state = params.request_state.flatten();
                ClientRequest::CallToolRequest(Request::new(call))
            }
            Kind::Prompt => {
                let mut get = GetPromptRequestParams::new(name);
                get.arguments = params.arguments.flatten();
                get.input_responses = params.input_responses.flatten();
                get.request_state = params.request_state.flatten();
                ClientRequest::GetPromptRequest(Request::new(get))
            }
            _ => {
                let mut reading = ReadResourceRequestParams::new(name);
                reading.input_responses = params.input_responses.flatten();
                reading.request_state = params.request_state.flatten();
                ClientRequest::ReadResourceRequest(Request::new(reading))
            }
        };
        if let Some(Some(meta)) = params.meta {
            request
                .extensions_mut()
                .insert(RequestMetaObject::from(meta));
        }
        let message = JsonRpcMessage::request(request, self.id?);
        Some(Read { message, members })
    }
}

fn custom(
    id: Option<RequestId>,
    method: String,
    params: Option<Value>,
    meta: Option<JsonObject>,
) -> rmcp::service::RxJsonRpcMessage<rmcp::RoleServer> {
    if let Some(id) = id {
        let mut request = CustomRequest::new(method, params);
        if let Some(meta) = meta {
            request.extensions.insert(RequestMetaObject::from(meta));
        }
        return JsonRpcMessage::request(ClientRequest::CustomRequest(request), id);
    }
    let mut told = CustomNotification::new(method, params);
    if let Some(meta) = meta {
        told.extensions.insert(NotificationMetaObject::from(meta));
    }
    JsonRpcMessage::notification(ClientNotification::CustomNotification(told))
}
