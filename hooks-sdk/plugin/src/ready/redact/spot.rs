//! The places in a message: texts, base64, and values that the other side brings back.

use serde_json::{Map, Value};

use super::LooseKind;

/// The member of `_meta` in which MCPL's state waits for the transport.
const LIFT: &str = "hooks-sdk/lift";

/// The members of MCP's params that the client has chosen.
const PEERS: &[&str] = &["progressToken", "requestId"];

/// The member of `_meta` with the id of a subscription, which the client has chosen.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// How many bytes a text may have that the other side has chosen. A longer one is looked at.
const PEERS_BYTES: usize = 256;

/// The members of MCP's params that the client brings back.
const KEPT_BY_CLIENTS: &[&str] = &["taskId", "elicitationId", "requestState"];

/// The members of MCPL's messages that the host has chosen.
const PEERS_OF_MCPL: &[&str] = &["conversationId", "inferenceId", "requestId"];

/// The members of MCPL's messages that the host compares or brings back.
const KEPT_BY_HOSTS: &[&str] = &[
    "address",
    "capability",
    "channelId",
    "checkpoint",
    "eventId",
    "featureSet",
    "id",
    "messageId",
    "method",
    "namespace",
    "parent",
    "position",
    "removed",
    "revision",
    "scope",
    "state",
    "threadId",
    "type",
];

/// The members of MCPL's messages that hold members of the protocol.
const PARTS_OF_MCPL: &[&str] = &[
    "added",
    "author",
    "channel",
    "channels",
    "contextInjections",
    "messages",
    "payload",
    "updated",
];

/// The place of a value in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// A whole result.
    Result,
    /// Messages of a prompt, or one of them.
    Messages,
    /// Content blocks, or one of them.
    Blocks,
    /// Contents of resources, or one of them.
    Contents,
    /// The `_meta` of a result.
    Meta,
    /// A value that the other side brings back, such as the members that the transport lifts to the top level of the
    /// result. It is not rewritten.
    Kept,
    /// A number or a short text that the other side has chosen. It is not looked at.
    Peers,
    /// The params of a message of MCP.
    Params,
    /// The `_meta` of params.
    ParamsMeta,
    /// A part of a message of MCPL.
    OfMcpl,
    /// An error of MCPL: its message and its data.
    McplError,
    /// The params of a message that no protocol defines.
    Custom,
    /// Anything else.
    Other,
}

impl Spot {
    /// Returns where a value stands that leaves and belongs to no item.
    pub(super) fn leaving(leaving: LooseKind) -> Spot {
        match leaving {
            LooseKind::Mcp => Spot::Params,
            LooseKind::Mcpl => Spot::OfMcpl,
            LooseKind::McplError => Spot::McplError,
            LooseKind::Custom => Spot::Custom,
            // The other side has chosen nothing in an answer.
            LooseKind::Answer => Spot::Other,
        }
    }

    /// Returns where a member stands.
    pub(super) fn of(self, members: &Map<String, Value>, name: &str) -> Spot {
        let is_one_of = |names: &[&str]| names.contains(&name);
        let is_peers = || members.get(name).is_some_and(is_short);
        match (self, name) {
            (Spot::Result, "content") => Spot::Blocks,
            (Spot::Result, "contents") => Spot::Contents,
            (Spot::Result | Spot::Params, "messages") => Spot::Messages,
            (Spot::Result, "_meta") => Spot::Meta,
            (Spot::Messages | Spot::OfMcpl, "content") => Spot::Blocks,
            (Spot::Blocks, "resource") if is_type(members, &["resource"]) => Spot::Contents,
            (Spot::Meta, LIFT) => Spot::Kept,
            (Spot::Params | Spot::OfMcpl | Spot::Custom, "_meta") => Spot::ParamsMeta,
            (Spot::ParamsMeta, SUBSCRIPTION) if is_peers() => Spot::Peers,
            (Spot::ParamsMeta | Spot::Params, _) if is_one_of(PEERS) && is_peers() => Spot::Peers,
            (Spot::Params, _) if is_one_of(KEPT_BY_CLIENTS) => Spot::Kept,
            (Spot::OfMcpl, _) if is_one_of(PEERS_OF_MCPL) && is_peers() => Spot::Peers,
            (Spot::OfMcpl, _) if is_one_of(KEPT_BY_HOSTS) => Spot::Kept,
            (Spot::OfMcpl, _) if is_one_of(PARTS_OF_MCPL) => Spot::OfMcpl,
            (Spot::McplError, "data") => Spot::OfMcpl,
            _ => Spot::Other,
        }
    }

    /// Returns whether a member is the base64 of an image, of audio or of a blob.
    pub(super) fn is_media(self, members: &Map<String, Value>, name: &str, value: &Value) -> bool {
        let place = match (self, name) {
            (Spot::Blocks, "data") => {
                is_type(members, &["image", "audio"])
                    && members.get("mimeType").is_some_and(Value::is_string)
            }
            (Spot::Contents, "blob") => members.get("uri").is_some_and(Value::is_string),
            _ => false,
        };
        place && value.as_str().is_some_and(is_base64)
    }
}

/// Returns whether a value has the form of an id or a token.
fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= PEERS_BYTES,
        value => value.is_number(),
    }
}

pub(super) fn is_type(members: &Map<String, Value>, types: &[&str]) -> bool {
    let own = members.get("type").and_then(Value::as_str);
    own.is_some_and(|own| types.contains(&own))
}

fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let of_body = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    text.len().is_multiple_of(4) && text.len() - body.len() <= 2 && body.bytes().all(of_body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_told_from_other_texts() {
        for (text, expected) in [
            ("", true),
            ("iVBORw0KGgo=", true),
            ("YQ==", true),
            ("YQ=", false),
            ("sk-proj-1234567", false),
            ("Y===", false),
        ] {
            assert_eq!(is_base64(text), expected, "{text}");
        }
    }
}
