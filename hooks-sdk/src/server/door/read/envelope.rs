//! Reads a message in one pass: the envelope, and the params with the type that the method names.

use std::{borrow::Cow, fmt};

use rmcp::{
    RoleServer,
    model::{
        ClientNotification, ClientRequest, ClientResult, CustomNotification, CustomRequest,
        CustomResult, GetExtensions, JsonObject, JsonRpcMessage, NotificationMetaObject, RequestId,
        RequestMetaObject,
    },
    service::RxJsonRpcMessage,
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor},
};
use serde_json::Value;

use super::{
    Read, Wanted,
    params::{Beside, Params},
};
use crate::server::door::methods::{Method, Standard};

/// Reads a message; `None` when it is not one that can be read in one pass.
///
/// What is read here, rmcp reads alike. What is not may still be a message.
pub(super) fn read(line: &[u8], wanted: &Wanted<'_>) -> Option<Read> {
    let line = str::from_utf8(line).ok()?;
    let mut parts = Parts::of(line, Known::default(), wanted)?;
    if let Some(Payload::Early) = parts.payload {
        let known = Known {
            id: parts.id,
            method: parts.method,
        };
        parts = Parts::of(line, known, wanted)?;
    }
    parts.message()
}

/// A method, by its name.
#[derive(Clone)]
enum Named {
    Standard(Method),
    Custom(String),
}

/// What an earlier pass found out.
#[derive(Default)]
struct Known {
    id: Option<RequestId>,
    method: Option<Named>,
}

/// The members of a message.
#[derive(Default)]
struct Parts {
    is_version_2: bool,
    id: Option<RequestId>,
    method: Option<Named>,
    payload: Option<Payload>,
    beside: Beside,
}

/// The params or the result.
enum Payload {
    Standard(Standard),
    Custom(JsonObject),
    Result(ClientResult),
    /// It stands before the member that says how it is read.
    Early,
}

impl Parts {
    fn of(line: &str, known: Known, wanted: &Wanted<'_>) -> Option<Parts> {
        let mut reader = serde_json::Deserializer::from_str(line);
        let envelope = Envelope { known, wanted };
        let parts = reader.deserialize_map(envelope).ok()?;
        reader.end().ok()?;
        Some(parts)
    }

    fn message(self) -> Option<Read> {
        let Parts { id, beside, .. } = self;
        if !self.is_version_2 {
            return None;
        }
        let meta = beside.meta;
        let message = match (id, self.method, self.payload) {
            (id, Some(Named::Standard(method)), payload) => {
                let standard = match payload {
                    Some(Payload::Standard(standard)) => standard,
                    None => without_params(method)?,
                    _ => return None,
                };
                match (id, standard) {
                    (Some(id), Standard::Request(request)) => request_of(id, request, meta),
                    (None, Standard::Notification(notification)) => {
                        notification_of(notification, meta)
                    }
                    _ => return None,
                }
            }
            (id, Some(Named::Custom(method)), payload) => {
                let params = match payload {
                    Some(Payload::Custom(params)) => Some(Value::Object(params)),
                    None => None,
                    _ => return None,
                };
                match id {
                    Some(id) => {
                        let request = CustomRequest::new(method, params);
                        request_of(id, ClientRequest::CustomRequest(request), meta)
                    }
                    None => {
                        let told = CustomNotification::new(method, params);
                        notification_of(ClientNotification::CustomNotification(told), meta)
                    }
                }
            }
            (Some(id), None, Some(Payload::Result(result))) => JsonRpcMessage::response(result, id),
            _ => return None,
        };
        Some(Read {
            message,
            members: beside.members,
        })
    }
}

fn request_of(
    id: RequestId,
    mut request: ClientRequest,
    meta: Option<JsonObject>,
) -> RxJsonRpcMessage<RoleServer> {
    if let Some(meta) = meta {
        let meta = RequestMetaObject::from(meta);
        request.extensions_mut().insert(meta);
    }
    JsonRpcMessage::request(request, id)
}

fn notification_of(
    mut notification: ClientNotification,
    meta: Option<JsonObject>,
) -> RxJsonRpcMessage<RoleServer> {
    if let Some(meta) = meta {
        let meta = NotificationMetaObject::from(meta);
        notification.extensions_mut().insert(meta);
    }
    JsonRpcMessage::notification(notification)
}

fn without_params(method: Method) -> Option<Standard> {
    type Nothing<'de> = serde::de::value::MapDeserializer<
        'de,
        std::iter::Empty<(&'de str, &'de str)>,
        serde::de::value::Error,
    >;
    method.read::<Nothing<'_>>(None).ok()
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Member {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
}

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Reads the members of a message.
struct Envelope<'w> {
    known: Known,
    wanted: &'w Wanted<'w>,
}

impl<'de> Visitor<'de> for Envelope<'_> {
    type Value = Parts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Parts, A::Error> {
        let mut parts = Parts::default();
        while let Some(member) = members.next_key::<Member>()? {
            match member {
                Member::Jsonrpc if !parts.is_version_2 => {
                    if members.next_value::<Text<'de>>()?.0 != "2.0" {
                        return Err(A::Error::custom("another version"));
                    }
                    parts.is_version_2 = true;
                }
                Member::Id if parts.id.is_none() => parts.id = Some(members.next_value()?),
                Member::Method if parts.method.is_none() => {
                    let Text(name) = members.next_value()?;
                    let method = Method::of(&name);
                    parts.method =
                        Some(method.map_or_else(|| Named::Custom(name.into()), Named::Standard));
                }
                Member::Params if parts.payload.is_none() => {
                    let method = parts.method.as_ref().or(self.known.method.as_ref());
                    let beside = &mut parts.beside;
                    if let Some(Named::Standard(Method::CallToolRequest)) = method {
                        beside.wanted = self.wanted.of_a_call;
                    }
                    let params = OfMethod { method, beside };
                    parts.payload = Some(members.next_value_seed(params)?);
                }
                Member::Result if parts.payload.is_none() => {
                    let id = parts.id.as_ref().or(self.known.id.as_ref());
                    parts.payload = Some(match id {
                        None => early(members.next_value()?),
                        Some(id) if (self.wanted.whole_result)(id) => {
                            let whole = CustomResult::new(members.next_value()?);
                            Payload::Result(ClientResult::CustomResult(whole))
                        }
                        Some(_) => Payload::Result(members.next_value()?),
                    });
                }
                _ => return Err(A::Error::custom("a member given twice")),
            }
        }
        Ok(parts)
    }
}

fn early(_: IgnoredAny) -> Payload {
    Payload::Early
}

/// Reads the params of a method.
struct OfMethod<'m> {
    method: Option<&'m Named>,
    beside: &'m mut Beside,
}

impl<'de> DeserializeSeed<'de> for OfMethod<'_> {
    type Value = Payload;

    fn deserialize<D: Deserializer<'de>>(self, params: D) -> Result<Payload, D::Error> {
        match self.method {
            Some(_) => params.deserialize_map(self),
            None => IgnoredAny::deserialize(params).map(early),
        }
    }
}

impl<'de> Visitor<'de> for OfMethod<'_> {
    type Value = Payload;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("params")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Payload, A::Error> {
        let OfMethod { method, beside } = self;
        let params = Params { members, beside };
        match method {
            Some(Named::Standard(method)) => method.read(Some(params)).map(Payload::Standard),
            _ => params.custom().map(Payload::Custom),
        }
    }
}
