//! What stands around our types in the documents, and how a type is held against one.

use std::{collections::BTreeMap, fmt::Debug};

use hooks_sdk::mcpl::{
    Content, ErrorObject,
    wire::{ChannelContext, FeatureSetDeclaration, StateUpdate},
};
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::leftovers;

/// What stands around the members of a type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    None,
    Answer,
}

/// A request or a notification.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call<P> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) jsonrpc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<Value>,
    pub(super) method: String,
    pub(super) params: P,
}

/// An answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer<R> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) jsonrpc: Option<String>,
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) id: Option<Value>,
    pub(super) result: R,
}

/// An answer that is an error.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failure {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) jsonrpc: Option<String>,
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) id: Option<Value>,
    pub(super) error: ErrorObject,
}

/// An id that is there, also when it is `null`: so JSON-RPC answers what it could not read.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Params without members.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// The handshake of either side: MCP's members, and ours below `capabilities.experimental`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Handshake<M> {
    pub(super) capabilities: Capabilities<M>,
    #[serde(flatten)]
    pub(super) mcp: Map<String, Value>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Capabilities<M> {
    pub(super) experimental: Experimental<M>,
    #[serde(flatten)]
    pub(super) mcp: Map<String, Value>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Experimental<M> {
    pub(super) mcpl: M,
    #[serde(flatten)]
    pub(super) mcp: Map<String, Value>,
}

/// Ours by itself, where the document leaves out what is around it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OnlyExperimental<M> {
    pub(super) experimental: Experimental<M>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OnlyState {
    pub(super) state: StateUpdate,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OnlyContent {
    pub(super) content: Content,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OnlyChannels {
    pub(super) channels: ChannelContext,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OnlyFeatureSets {
    #[serde(rename = "featureSets")]
    pub(super) feature_sets: BTreeMap<String, FeatureSetDeclaration>,
}

pub(super) fn of<T: DeserializeOwned + Serialize + Debug>(
    document: &Value,
    frame: Frame,
) -> Result<(), String> {
    match frame {
        Frame::None => kept::<T>(document),
        Frame::Answer => kept::<Answer<T>>(document),
    }
}

pub(super) fn kept<T: DeserializeOwned + Serialize + Debug>(
    document: &Value,
) -> Result<(), String> {
    let version = document.get("jsonrpc").map_or(&json!("2.0"), |it| it) == &json!("2.0");
    if !version {
        return Err("`jsonrpc` is not 2.0".to_owned());
    }
    let read: T = decode(document)?;
    match leftovers(&read) {
        0 => again(&read, document),
        count => Err(format!("{count} members or words were not known: {read:?}")),
    }
}

pub(super) fn decode<T: DeserializeOwned>(document: &Value) -> Result<T, String> {
    serde_json::from_value(document.clone()).map_err(|error| error.to_string())
}

pub(super) fn again(read: &impl Serialize, document: &Value) -> Result<(), String> {
    let written = serde_json::to_value(read).map_err(|error| error.to_string())?;
    if written == *document {
        Ok(())
    } else {
        Err(written.to_string())
    }
}

/// The document without those members of a tool's call and answer that are MCP's own.
pub(super) fn without_mcp(document: &Value) -> Value {
    let mut document = document.clone();
    for frame in ["", "/params", "/result"] {
        let members = document.pointer_mut(frame).and_then(Value::as_object_mut);
        if let Some(members) = members {
            members.retain(|name, _| {
                !["_meta", "isError", "structuredContent"].contains(&name.as_str())
            });
        }
    }
    document
}
