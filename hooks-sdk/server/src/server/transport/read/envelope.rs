//! Reads a message in one pass: the envelope, and the params with the type that the method names.

use std::{borrow::Cow, fmt};

use rmcp::model::{ClientResult, CustomResult, RequestId};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor},
};

use super::{
    Read, WantedMembers,
    params::{Beside, Params},
    parts::{MessageMembers, MethodName, Payload},
};
use crate::server::transport::methods::Method;

/// Reads a message. Returns `None` if the message cannot be read in one pass.
///
/// rmcp reads every message that is read here to the same value. A line that is not read here may still be a message.
pub(super) fn read(line: &[u8], wanted: &WantedMembers<'_>) -> Option<Read> {
    let line = str::from_utf8(line).ok()?;
    let mut parts = MessageMembers::default();
    parts.read(line, &KnownMembers::default(), wanted)?;
    if let Some(Payload::Early) = parts.payload {
        let known = KnownMembers {
            id: parts.id.take(),
            method: parts.method.take(),
        };
        parts = MessageMembers::default();
        parts.read(line, &known, wanted)?;
    }
    parts.message()
}

/// The members that an earlier pass has read.
#[derive(Default)]
struct KnownMembers {
    id: Option<RequestId>,
    method: Option<MethodName>,
}

impl MessageMembers {
    fn read(&mut self, line: &str, known: &KnownMembers, wanted: &WantedMembers<'_>) -> Option<()> {
        let mut reader = serde_json::Deserializer::from_str(line);
        let parts = self;
        let envelope = EnvelopeReader {
            parts,
            known,
            wanted,
        };
        reader.deserialize_map(envelope).ok()?;
        reader.end().ok()
    }
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

/// Reads the members of a message in place, because they are large.
struct EnvelopeReader<'p> {
    parts: &'p mut MessageMembers,
    known: &'p KnownMembers,
    wanted: &'p WantedMembers<'p>,
}

impl<'de> Visitor<'de> for EnvelopeReader<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let parts = self.parts;
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
                    parts.method = Some(
                        method
                            .map_or_else(|| MethodName::Custom(name.into()), MethodName::Standard),
                    );
                }
                Member::Params if parts.payload.is_none() => {
                    let method = parts.method.as_ref().or(self.known.method.as_ref());
                    members.next_value_seed(OfMethod {
                        method,
                        wanted: match method {
                            Some(MethodName::Standard(Method::CallToolRequest)) => {
                                self.wanted.of_a_call
                            }
                            _ => &[],
                        },
                        beside: &mut parts.beside,
                        payload: &mut parts.payload,
                    })?;
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
        Ok(())
    }
}

fn early(_: IgnoredAny) -> Payload {
    Payload::Early
}

/// Reads the params of a method.
struct OfMethod<'m> {
    method: Option<&'m MethodName>,
    wanted: &'m [&'static str],
    beside: &'m mut Beside,
    payload: &'m mut Option<Payload>,
}

impl<'de> DeserializeSeed<'de> for OfMethod<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, params: D) -> Result<(), D::Error> {
        if self.method.is_some() {
            return params.deserialize_map(self);
        }
        *self.payload = Some(early(IgnoredAny::deserialize(params)?));
        Ok(())
    }
}

impl<'de> Visitor<'de> for OfMethod<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("params")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
        let params = Params {
            members,
            beside: self.beside,
            wanted: self.wanted,
        };
        *self.payload = Some(match self.method {
            Some(MethodName::Standard(method)) => Payload::Standard(method.read(params)?),
            _ => Payload::Custom(params.custom()?),
        });
        Ok(())
    }
}
