//! Messages about channels: open and close, publish, observe, and show presence.

use serde::{Deserialize, Serialize, de};
use serde_json::{Map, Value};

use super::{ChannelDescriptor, ContentBlock, channel::member, content};
use hooks_core::Open;

objects! {
    /// A host requests a channel.
    ///
    /// Implements MCPL 0.4.1 §14.3, the params of `channels/open`. A host sends `type`, `channelId`, or both.
    #[serde(try_from = "Map<String, Value>")]
    pub struct ChannelsOpen {
        /// The platform; `type` on the wire. It is empty if the host sends only `channelId`.
        #[serde(rename = "type")]
        kind: String,
        /// Where the channel is on its platform; empty if the host omits it.
        address: Map<String, Value>,
        /// Further information about the channel.
        metadata?: Map<String, Value>,
        /// The id of the channel, if a host of 0.5 knows it.
        channel_id?: String,
    }
}

impl TryFrom<Map<String, Value>> for ChannelsOpen {
    type Error = serde_json::Error;

    fn try_from(mut other: Map<String, Value>) -> Result<ChannelsOpen, serde_json::Error> {
        let kind: Option<String> = member(&mut other, "type")?;
        let channel_id = member(&mut other, "channelId")?;
        if kind.is_none() && channel_id.is_none() {
            let missing = "missing field `type`, and there is no `channelId`";
            return Err(de::Error::custom(missing));
        }
        Ok(ChannelsOpen {
            kind: kind.unwrap_or_default(),
            address: member(&mut other, "address")?.unwrap_or_default(),
            metadata: member(&mut other, "metadata")?,
            channel_id,
            other,
        })
    }
}

objects! {
    /// The channel that a server opened.
    ///
    /// Implements MCPL 0.4.1 §14.3, the answer to `channels/open`.
    pub struct ChannelOpened {
        /// The channel.
        channel: ChannelDescriptor,

        /// Makes the answer with this channel.
        fn new(channel: ChannelDescriptor);
    }

    /// A host closes a channel.
    ///
    /// Implements MCPL 0.4.1 §14.3, the params of `channels/close`.
    pub struct ChannelsClose {
        /// The channel.
        channel_id: String,
    }

    /// Whether the channel is closed.
    ///
    /// Implements MCPL 0.4.1 §14.3, the answer to `channels/close`.
    pub struct ChannelClosed {
        /// Whether the channel is closed.
        closed: bool,

        /// Makes the answer.
        fn new(closed: bool);
    }

    /// One chunk of the host's output on a channel, for observation. Nothing is delivered because of it.
    ///
    /// Implements MCPL 0.4.1 §14.3, the params of `channels/outgoing/chunk`.
    pub struct OutgoingChunk {
        /// The inference that writes it.
        inference_id: String,
        /// The conversation that it belongs to.
        conversation_id: String,
        /// The channel that it is written on.
        channel_id: String,
        /// The index of the chunk, from 0; 0 if the host omits it.
        index: u64 = default,
        /// The text since the previous chunk.
        delta: String,
    }

    /// The whole of the host's output on a channel, for observation. Nothing is delivered because of it.
    ///
    /// Implements MCPL 0.4.1 §14.3, the params of `channels/outgoing/complete`.
    pub struct OutgoingComplete {
        /// The inference that wrote it.
        inference_id: String,
        /// The conversation that it belongs to.
        conversation_id: String,
        /// The channel that it was written on.
        channel_id: String,
        /// The content. A plain text is accepted as one block.
        #[serde(deserialize_with = "content::blocks")]
        content: Vec<ContentBlock>,
    }

    /// A host sends a message for delivery to a channel.
    ///
    /// Implements MCPL 0.4.1 §14.3, the params of `channels/publish`, as a request or as a notification.
    pub struct Publish {
        /// The conversation that the message comes from.
        conversation_id?: String,
        /// The channel to deliver it to.
        channel_id: String,
        /// Whether the message is a part of a longer one.
        stream?: bool,
        /// The content to deliver. A plain text is accepted as one block.
        #[serde(deserialize_with = "content::blocks")]
        content: Vec<ContentBlock>,
    }

    /// Whether a message was delivered.
    ///
    /// Implements MCPL 0.4.1 §14.3, the answer to `channels/publish`.
    pub struct Published {
        /// Whether the message was delivered.
        delivered: bool,
        /// The id of the message on the platform.
        message_id?: String,

        /// The message was delivered.
        fn delivered() { delivered: true };

        /// The message was not delivered.
        fn undelivered() { delivered: false };

        /// Sets the id of the message on the platform.
        fn message_id(id: impl Into<String>) => message_id;
    }
}

objects! {
    /// A host shows on a channel that it is typing.
    ///
    /// The params of `channels/typing`. MCPL 0.5 names the method without its members; these are the ones in use.
    pub struct Typing {
        /// The channel.
        channel_id: String,
        /// Whether typing starts or stops. It starts if the member is absent.
        op?: Open<TypingOp>,
        /// Further information.
        metadata?: Map<String, Value>,
    }
}

/// Whether typing starts or stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum TypingOp {
    /// Typing starts.
    Start,
    /// Typing stops.
    Stop,
}

objects! {
    /// A host shows on a channel that it saw a message.
    ///
    /// The params of `channels/acknowledge`. MCPL 0.5 names the method without its members; these are the ones in use.
    pub struct Acknowledge {
        /// The channel.
        channel_id: String,
        /// The message.
        message_id: String,
        /// The form of the acknowledgement, if the platform has a choice.
        value?: Value,
    }

    /// Whether the platform now shows that the host saw a message.
    ///
    /// The answer to `channels/acknowledge` of MCPL 0.5, with the members in use.
    #[derive(Default)]
    pub struct Acknowledged {
        /// Whether the acknowledgement is shown.
        acknowledged: bool,
        /// How it is shown.
        representation?: Value,
        /// Why it is not shown.
        reason?: String,

        /// The acknowledgement is shown.
        fn done() { acknowledged: true };

        /// The acknowledgement is not shown.
        fn failed(reason: impl Into<String>) { reason: Some(reason.into()) };

        /// Sets how it is shown.
        fn representation(representation: impl Into<Value>) => representation;
    }
}
