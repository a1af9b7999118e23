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

/// What a host took of the channels that a server announced or changed.
///
/// The document does not say what the answer to `channels/register` is (MCPL 0.4.1 §14.3), and hosts
/// answer in three ways: with nothing, with the ids they took, and one by one, which is how 0.5 has it, also
/// for `channels/changed`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Option<Answer>", into = "Answer")]
#[non_exhaustive]
pub struct Registered {
    /// The ids that the host took.
    pub registered: Option<Vec<String>>,
    /// What the host says of each.
    pub results: Option<Vec<ChannelResult>>,
    /// Members that the document does not define.
    pub other: Map<String, Value>,
}

/// The members as they stand on the wire.
#[derive(Default, Serialize, Deserialize)]
struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    registered: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<ChannelResult>>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl From<Option<Answer>> for Registered {
    fn from(answer: Option<Answer>) -> Registered {
        let Answer {
            registered,
            results,
            other,
        } = answer.unwrap_or_default();
        Registered {
            registered,
            results,
            other,
        }
    }
}

impl From<Registered> for Answer {
    fn from(registered: Registered) -> Answer {
        let Registered {
            registered,
            results,
            other,
        } = registered;
        Answer {
            registered,
            results,
            other,
        }
    }
}

impl Registered {
    /// An answer one by one.
    pub fn results(results: Vec<ChannelResult>) -> Registered {
        Registered {
            results: Some(results),
            ..Registered::default()
        }
    }

    /// Whether the host took the channel.
    ///
    /// What is said one by one counts first, then the list of ids; an answer that says nothing of channels
    /// took them all. A channel that an answer leaves out was not taken.
    pub fn accepts(&self, id: &str) -> bool {
        match (&self.results, &self.registered) {
            (Some(results), _) => {
                let mut of_it = results.iter().filter(|result| result.id == id).peekable();
                of_it.peek().is_some() && of_it.all(|result| result.accepted)
            }
            (None, Some(ids)) => ids.iter().any(|taken| taken == id),
            (None, None) => true,
        }
    }

    /// Why the host did not take the channel, if it says so.
    pub fn reason(&self, id: &str) -> Option<&str> {
        let results = self.results.iter().flatten();
        let mut refused = results.filter(|result| result.id == id && !result.accepted);
        refused.find_map(|result| result.reason.as_deref())
    }
}

/// Whether a host took one channel (MCPL 0.5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChannelResult {
    /// The channel.
    pub id: String,
    /// Whether the host took it.
    pub accepted: bool,
    /// Why it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ChannelResult {
    /// The host took it.
    pub fn accepted(id: impl Into<String>) -> ChannelResult {
        ChannelResult {
            id: id.into(),
            accepted: true,
            reason: None,
            other: Map::new(),
        }
    }

    /// The host did not take it.
    pub fn refused(id: impl Into<String>, reason: impl Into<String>) -> ChannelResult {
        ChannelResult {
            accepted: false,
            reason: Some(reason.into()),
            ..ChannelResult::accepted(id)
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
    pub fn add(mut self, channel: ChannelDescriptor) -> ChannelsChanged {
        self.added.get_or_insert_default().push(channel);
        self
    }

    /// A channel is gone.
    #[must_use]
    pub fn remove(mut self, id: impl Into<String>) -> ChannelsChanged {
        self.removed.get_or_insert_default().push(id.into());
        self
    }

    /// Something else is said about a channel now.
    #[must_use]
    pub fn update(mut self, channel: ChannelDescriptor) -> ChannelsChanged {
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
