//! Messages about channels: open and close, publish, and observe.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ChannelDescriptor, ContentBlock, content, left_out};

/// A host requests a channel.
///
/// Implements MCPL 0.4.1 §14.3, the params of `channels/open`. A host sends `type`, `channelId`, or both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "OpenMembers")]
#[non_exhaustive]
pub struct ChannelsOpen {
    /// The platform; `type` on the wire. It is empty if the host sends only `channelId`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where the channel is on its platform; empty if the host omits it.
    pub address: Map<String, Value>,
    /// Further information about the channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// The id of the channel, if a host of 0.5 knows it.
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
    /// Makes the answer with this channel.
    pub fn new(channel: ChannelDescriptor) -> ChannelOpened {
        ChannelOpened {
            channel,
            other: Map::new(),
        }
    }
}

/// A host closes a channel.
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

/// Whether the channel is closed.
///
/// Implements MCPL 0.4.1 §14.3, the answer to `channels/close`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChannelClosed {
    /// Whether the channel is closed.
    pub closed: bool,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ChannelClosed {
    /// Makes the answer.
    pub fn new(closed: bool) -> ChannelClosed {
        ChannelClosed {
            closed,
            other: Map::new(),
        }
    }
}

/// One chunk of the host's output on a channel, for observation. Nothing is delivered because of it.
///
/// Implements MCPL 0.4.1 §14.3, the params of `channels/outgoing/chunk`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OutgoingChunk {
    /// The inference that writes it.
    pub inference_id: String,
    /// The conversation that it belongs to.
    pub conversation_id: String,
    /// The channel that it is written on.
    pub channel_id: String,
    /// The index of the chunk, from 0; 0 if the host omits it.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub index: u64,
    /// The text since the previous chunk.
    pub delta: String,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The whole of the host's output on a channel, for observation. Nothing is delivered because of it.
///
/// Implements MCPL 0.4.1 §14.3, the params of `channels/outgoing/complete`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OutgoingComplete {
    /// The inference that wrote it.
    pub inference_id: String,
    /// The conversation that it belongs to.
    pub conversation_id: String,
    /// The channel that it was written on.
    pub channel_id: String,
    /// The content. A plain text is accepted as one block.
    #[serde(deserialize_with = "content::blocks")]
    pub content: Vec<ContentBlock>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A host sends a message for delivery to a channel.
///
/// Implements MCPL 0.4.1 §14.3, the params of `channels/publish`, as a request or as a notification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Publish {
    /// The conversation that the message comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// The channel to deliver it to.
    pub channel_id: String,
    /// Whether the message is a part of a longer one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<bool>,
    /// The content to deliver. A plain text is accepted as one block.
    #[serde(deserialize_with = "content::blocks")]
    pub content: Vec<ContentBlock>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Whether a message was delivered.
///
/// Implements MCPL 0.4.1 §14.3, the answer to `channels/publish`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Published {
    /// Whether the message was delivered.
    pub delivered: bool,
    /// The id of the message on the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Published {
    /// The message was delivered.
    pub fn delivered() -> Published {
        Published {
            delivered: true,
            message_id: None,
            other: Map::new(),
        }
    }

    /// The message was not delivered.
    pub fn undelivered() -> Published {
        Published {
            delivered: false,
            ..Published::delivered()
        }
    }

    /// Sets the id of the message on the platform.
    #[must_use]
    pub fn message_id(mut self, id: impl Into<String>) -> Published {
        self.message_id = Some(id.into());
        self
    }
}
