//! What happens on channels: opened and closed, written to, and looked at.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ChannelDescriptor, ContentBlock, content, left_out};

/// A host asks for a channel.
///
/// Implements MCPL 0.4.1 §14.3, the params of `channels/open`. A host sends `type`, `channelId`, or both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "OpenMembers")]
#[non_exhaustive]
pub struct ChannelsOpen {
    /// The platform; `type` on the wire. Empty where the host says only `channelId`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it is on its platform; empty where the host leaves it out.
    pub address: Map<String, Value>,
    /// Anything else about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// The channel itself, which hosts of 0.5 say when they know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The members of [`ChannelsOpen`] as hosts send them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenMembers {
    #[serde(rename = "type")]
    kind: Option<String>,
    address: Option<Map<String, Value>>,
    metadata: Option<Map<String, Value>>,
    channel_id: Option<String>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl TryFrom<OpenMembers> for ChannelsOpen {
    type Error = &'static str;

    fn try_from(members: OpenMembers) -> Result<ChannelsOpen, &'static str> {
        if members.kind.is_none() && members.channel_id.is_none() {
            return Err("missing field `type`, and there is no `channelId`");
        }
        Ok(ChannelsOpen {
            kind: members.kind.unwrap_or_default(),
            address: members.address.unwrap_or_default(),
            metadata: members.metadata,
            channel_id: members.channel_id,
            other: members.other,
        })
    }
}

/// The channel that a server opened.
///
/// Implements MCPL 0.4.1 §14.3, the answer to `channels/open`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChannelOpened {
    /// The channel.
    pub channel: ChannelDescriptor,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ChannelOpened {
    /// This channel.
    pub fn new(channel: ChannelDescriptor) -> ChannelOpened {
        ChannelOpened {
            channel,
            other: Map::new(),
        }
    }
}

/// A host gives a channel up.
///
/// Implements MCPL 0.4.1 §14.3, the params of `channels/close`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ChannelsClose {
    /// The channel.
    pub channel_id: String,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Whether a channel is closed.
///
/// Implements MCPL 0.4.1 §14.3, the answer to `channels/close`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChannelClosed {
    /// Whether it is.
    pub closed: bool,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ChannelClosed {
    /// It is, or it is not.
    pub fn new(closed: bool) -> ChannelClosed {
        ChannelClosed {
            closed,
            other: Map::new(),
        }
    }
}

/// A part of what the host says on a channel, to look at; nothing is delivered because of it.
///
/// Implements MCPL 0.4.1 §14.3, the params of `channels/outgoing/chunk`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OutgoingChunk {
    /// The inference that says it.
    pub inference_id: String,
    /// The conversation in which it is said.
    pub conversation_id: String,
    /// The channel on which it is said.
    pub channel_id: String,
    /// Its place among the parts, counted from 0; also 0 where the host leaves it out.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub index: u64,
    /// What was said since the part before.
    pub delta: String,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// All of what the host said on a channel, to look at; nothing is delivered because of it.
///
/// Implements MCPL 0.4.1 §14.3, the params of `channels/outgoing/complete`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OutgoingComplete {
    /// The inference that said it.
    pub inference_id: String,
    /// The conversation in which it was said.
    pub conversation_id: String,
    /// The channel on which it was said.
    pub channel_id: String,
    /// What was said; a plain text is tolerated as one block.
    #[serde(deserialize_with = "content::blocks")]
    pub content: Vec<ContentBlock>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A host has something delivered to a channel.
///
/// Implements MCPL 0.4.1 §14.3, the params of `channels/publish`, as a request or as a notification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Publish {
    /// The conversation that says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// Where it goes.
    pub channel_id: String,
    /// Whether it is a part of something longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<bool>,
    /// What is delivered; a plain text is tolerated as one block.
    #[serde(deserialize_with = "content::blocks")]
    pub content: Vec<ContentBlock>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Whether something was delivered.
///
/// Implements MCPL 0.4.1 §14.3, the answer to `channels/publish`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Published {
    /// Whether it was.
    pub delivered: bool,
    /// The platform's id for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Published {
    /// It was delivered.
    pub fn delivered() -> Published {
        Published {
            delivered: true,
            message_id: None,
            other: Map::new(),
        }
    }

    /// It was not delivered.
    pub fn undelivered() -> Published {
        Published {
            delivered: false,
            ..Published::delivered()
        }
    }

    /// Gives the platform's id for it.
    #[must_use]
    pub fn message_id(mut self, id: impl Into<String>) -> Published {
        self.message_id = Some(id.into());
        self
    }
}
