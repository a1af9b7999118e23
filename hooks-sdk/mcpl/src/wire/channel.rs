//! Channels, and the messages by which both sides keep their lists of them.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use hooks_core::Open;

objects! {
    /// A named place that messages come from or go to.
    ///
    /// Implements MCPL 0.4.1 §14.2.
    pub struct ChannelDescriptor {
        /// The id, unique within the connection.
        id: String,
        /// The platform; `type` on the wire.
        #[serde(rename = "type")]
        kind: String,
        /// The name for people.
        label: String,
        /// The direction of its messages.
        direction: Open<Direction>,
        /// Where the channel is on its platform.
        address?: Map<String, Value>,
        /// Further information about the channel.
        metadata?: Map<String, Value>,

        /// Makes a channel without an address.
        fn new(id: impl Into<String>, kind: impl Into<String>, label: impl Into<String>, direction: Direction);

        /// Sets where the channel is on its platform.
        fn address(address: Map<String, Value>) => address;

        /// Sets further information about the channel.
        fn metadata(metadata: Map<String, Value>) => metadata;
    }
}

impl ChannelDescriptor {
    /// Whether the channel is the model's thinking. Nothing may be published to it (MCPL 0.4.1 §14.5).
    pub fn is_thinking(&self) -> bool {
        self.kind == "thinking" || self.id == "thinking"
    }
}

/// The direction of a channel's messages (MCPL 0.4.1 §14.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Direction {
    /// From the host to the platform.
    Outbound,
    /// From the platform to the host.
    Inbound,
    /// In both directions.
    Bidirectional,
}

impl Direction {
    /// Returns the direction's word on the wire.
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

objects! {
    /// A server announces channels.
    ///
    /// Implements MCPL 0.4.1 §14.3, the params of `channels/register`.
    pub struct ChannelsRegister {
        /// The channels.
        channels: Vec<ChannelDescriptor>,

        /// Makes the announcement of these channels.
        fn new(channels: Vec<ChannelDescriptor>);
    }

    /// A server's channels changed.
    ///
    /// Implements MCPL 0.4.1 §14.3, the params of `channels/changed`; in 0.5 it may be a request, answered like
    /// `channels/register`.
    #[derive(Default)]
    pub struct ChannelsChanged {
        /// New channels.
        added?: Vec<ChannelDescriptor>,
        /// The ids of channels that are gone.
        removed?: Vec<String>,
        /// Channels with a changed description.
        updated?: Vec<ChannelDescriptor>,
    }
}

impl ChannelsChanged {
    /// Makes an empty change.
    pub fn new() -> ChannelsChanged {
        ChannelsChanged::default()
    }

    /// Adds a new channel.
    #[must_use]
    pub fn added(mut self, channel: ChannelDescriptor) -> ChannelsChanged {
        self.added.get_or_insert_default().push(channel);
        self
    }

    /// Adds the id of a channel that is gone.
    #[must_use]
    pub fn removed(mut self, id: impl Into<String>) -> ChannelsChanged {
        self.removed.get_or_insert_default().push(id.into());
        self
    }

    /// Adds a channel with a changed description.
    #[must_use]
    pub fn updated(mut self, channel: ChannelDescriptor) -> ChannelsChanged {
        self.updated.get_or_insert_default().push(channel);
        self
    }
}

objects! {
    /// The channels that one side knows.
    ///
    /// The document does not define the answer to `channels/list` (MCPL 0.4.1 §14.3). Both sides send this.
    #[derive(Default)]
    pub struct ChannelsList {
        /// The channels.
        channels: Vec<ChannelDescriptor>,

        /// Makes the list of these channels.
        fn new(channels: Vec<ChannelDescriptor>);
    }
}
