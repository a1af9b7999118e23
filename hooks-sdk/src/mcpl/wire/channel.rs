//! Channels: what they are, and how both sides keep their list of them.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::Open;

/// A named place where messages come from or go to.
///
/// Implements MCPL 0.4.1 §14.2.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChannelDescriptor {
    /// Its name, which no other channel of the connection has.
    pub id: String,
    /// The platform; `type` on the wire.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its name for people.
    pub label: String,
    /// Which way messages go.
    pub direction: Open<Direction>,
    /// Where it is on its platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Map<String, Value>>,
    /// Anything else about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ChannelDescriptor {
    /// A channel without an address.
    pub fn new(
        id: impl Into<String>,
        kind: impl Into<String>,
        label: impl Into<String>,
        direction: Direction,
    ) -> ChannelDescriptor {
        ChannelDescriptor {
            id: id.into(),
            kind: kind.into(),
            label: label.into(),
            direction: direction.into(),
            address: None,
            metadata: None,
            other: Map::new(),
        }
    }

    /// Says where it is on its platform, in place of what was said.
    #[must_use]
    pub fn address(mut self, address: Map<String, Value>) -> ChannelDescriptor {
        self.address = Some(address);
        self
    }

    /// Says anything else about it, in place of what was said.
    #[must_use]
    pub fn metadata(mut self, metadata: Map<String, Value>) -> ChannelDescriptor {
        self.metadata = Some(metadata);
        self
    }

    /// Whether it is the model's thinking, to which nothing may be published (MCPL 0.4.1 §14.5).
    pub fn is_thinking(&self) -> bool {
        self.kind == "thinking" || self.id == "thinking"
    }
}

/// Which way the messages of a channel go (MCPL 0.4.1 §14.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Direction {
    /// From the host to the platform.
    Outbound,
    /// From the platform to the host.
    Inbound,
    /// Both.
    Bidirectional,
}

impl Direction {
    /// The direction's word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Direction::Outbound => "outbound",
            Direction::Inbound => "inbound",
            Direction::Bidirectional => "bidirectional",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A server announces channels.
///
/// Implements MCPL 0.4.1 §14.3, the params of `channels/register`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChannelsRegister {
    /// The channels.
    pub channels: Vec<ChannelDescriptor>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ChannelsRegister {
    /// Announces these.
    pub fn new(channels: Vec<ChannelDescriptor>) -> ChannelsRegister {
        ChannelsRegister {
            channels,
            other: Map::new(),
        }
    }
}

/// A server's channels changed.
///
/// Implements MCPL 0.4.1 §14.3, the params of `channels/changed`; in 0.5 it may be a request, answered like
/// `channels/register`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChannelsChanged {
    /// New channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<Vec<ChannelDescriptor>>,
    /// The ids of channels that are gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<Vec<String>>,
    /// Channels about which something else is said now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<Vec<ChannelDescriptor>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ChannelsChanged {
    /// Nothing changed yet.
    pub fn new() -> ChannelsChanged {
        ChannelsChanged::default()
    }

    /// A new channel.
    #[must_use]
    pub fn added(mut self, channel: ChannelDescriptor) -> ChannelsChanged {
        self.added.get_or_insert_default().push(channel);
        self
    }

    /// A channel is gone.
    #[must_use]
    pub fn removed(mut self, id: impl Into<String>) -> ChannelsChanged {
        self.removed.get_or_insert_default().push(id.into());
        self
    }

    /// Something else is said about a channel now.
    #[must_use]
    pub fn updated(mut self, channel: ChannelDescriptor) -> ChannelsChanged {
        self.updated.get_or_insert_default().push(channel);
        self
    }
}

/// The channels that a side knows.
///
/// The document does not say what the answer to `channels/list` is (MCPL 0.4.1 §14.3); this is what both
/// sides answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChannelsList {
    /// The channels.
    pub channels: Vec<ChannelDescriptor>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ChannelsList {
    /// These channels.
    pub fn new(channels: Vec<ChannelDescriptor>) -> ChannelsList {
        ChannelsList {
            channels,
            other: Map::new(),
        }
    }
}
