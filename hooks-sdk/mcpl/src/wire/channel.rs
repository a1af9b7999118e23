//! Channels, and the messages by which both sides keep their lists of them.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use hooks_core::{
    Open,
    internal::{setters, words},
};

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

words! {
    /// The direction of a channel's messages (MCPL 0.4.1 §14.2).
    ///
    /// ```
    /// use hooks_sdk::mcpl::wire::Direction;
    ///
    /// assert_eq!(serde_json::to_value(Direction::Outbound).unwrap(), "outbound");
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[non_exhaustive]
    pub enum Direction: "Returns the direction's word on the wire." {
        /// From the host to the platform.
        Outbound = "outbound",
        /// From the platform to the host.
        Inbound = "inbound",
        /// In both directions.
        Bidirectional = "bidirectional",
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

    setters! {
        /// Adds a new channel.
        fn added(mut self, channel: ChannelDescriptor) { self.added.get_or_insert_default().push(channel) }

        /// Adds the id of a channel that is gone.
        fn removed(mut self, id: impl Into<String>) { self.removed.get_or_insert_default().push(id.into()) }

        /// Adds a channel with a changed description.
        fn updated(mut self, channel: ChannelDescriptor) { self.updated.get_or_insert_default().push(channel) }
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

objects! {
    /// The channels that a host accepted, of those that a server announced or changed.
    ///
    /// The document does not define the answer to `channels/register` (MCPL 0.4.1 §14.3). Hosts answer in three ways: with
    /// nothing, with the accepted ids, or with one result for each channel. 0.5 defines the last, also for
    /// `channels/changed`.
    #[derive(Default)]
    #[serde(try_from = "Option<Map<String, Value>>")]
    pub struct Registered {
        /// The accepted ids.
        registered?: Vec<String>,
        /// One result for each channel.
        results?: Vec<ChannelResult>,

        /// Makes an answer with one result for each channel.
        fn results(results: Vec<ChannelResult>) { results: Some(results) };
    }
}

impl TryFrom<Option<Map<String, Value>>> for Registered {
    type Error = serde_json::Error;

    fn try_from(answer: Option<Map<String, Value>>) -> Result<Registered, serde_json::Error> {
        let mut other = answer.unwrap_or_default();
        Ok(Registered {
            registered: member(&mut other, "registered")?,
            results: member(&mut other, "results")?,
            other,
        })
    }
}

/// Takes a member out of an object. `null` is absent.
pub(super) fn member<T: DeserializeOwned>(
    members: &mut Map<String, Value>,
    name: &str,
) -> Result<Option<T>, serde_json::Error> {
    serde_json::from_value(members.remove(name).unwrap_or_default())
}

impl Registered {
    /// Whether the host accepted the channel.
    ///
    /// A result for the channel counts first, then the list of ids. An answer with neither accepts all channels. A
    /// channel that an answer leaves out was not accepted.
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

    /// Returns why the host did not accept the channel, if it says so.
    pub fn reason(&self, id: &str) -> Option<&str> {
        let results = self.results.iter().flatten();
        let mut refused = results.filter(|result| result.id == id && !result.accepted);
        refused.find_map(|result| result.reason.as_deref())
    }
}

objects! {
    /// The host's result for one channel (MCPL 0.5).
    pub struct ChannelResult {
        /// The channel.
        id: String,
        /// Whether the host accepted the channel.
        accepted: bool,
        /// Why the host did not accept it.
        reason?: String,

        /// The host accepted the channel.
        fn accepted(id: impl Into<String>) { id: id.into(), accepted: true };

        /// The host did not accept the channel.
        fn refused(id: impl Into<String>, reason: impl Into<String>) { id: id.into(), reason: Some(reason.into()) };
    }
}
