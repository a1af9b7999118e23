//! Incoming messages of channels.

use std::time::SystemTime;

use serde_json::{Map, Value};

use super::{Content, ContentBlock, Tag, content};
use hooks_core::Timestamp;
use hooks_core::internal::setters;

objects! {
    /// A server passes messages to the host.
    ///
    /// Implements MCPL 0.4.1 §14.3, the params of `channels/incoming`.
    pub struct ChannelsIncoming {
        /// The messages, in their order.
        messages: Vec<IncomingMessage>,

        /// Makes the params from these messages.
        fn new(messages: Vec<IncomingMessage>);
    }

    /// One incoming message.
    ///
    /// Implements MCPL 0.4.1 §14.3, with the tags of 0.5.
    ///
    /// ```
    /// use hooks_sdk::mcpl::{Author, IncomingMessage, tag::chat};
    ///
    /// let message = IncomingMessage::new("irc:#rust", "m1", Author::new("u7", "Alice"), "Anyone here?")
    ///     .tag(chat::BROADCAST);
    /// assert_eq!(message.content[0].as_text(), Some("Anyone here?"));
    /// ```
    pub struct IncomingMessage {
        /// The channel.
        channel_id: String,
        /// The id of the message.
        message_id: String,
        /// The thread, if the channel has threads.
        thread_id?: String,
        /// The author of the message.
        author: Author,
        /// The time at which it was written, in the format of RFC 3339.
        timestamp: String,
        /// The content. A plain text is accepted as one block.
        #[serde(deserialize_with = "content::blocks")]
        content: Vec<ContentBlock>,
        /// Further information about the message.
        metadata?: Map<String, Value>,
        /// The kind of message.
        tags?: Vec<String>,

        /// Sets the thread.
        fn thread(id: impl Into<String>) => thread_id;

        /// Sets further information about the message.
        fn metadata(metadata: Map<String, Value>) => metadata;
    }
}

impl IncomingMessage {
    /// Makes a message with the present time.
    pub fn new(
        channel_id: impl Into<String>,
        message_id: impl Into<String>,
        author: Author,
        content: impl Into<Content>,
    ) -> IncomingMessage {
        IncomingMessage {
            channel_id: channel_id.into(),
            message_id: message_id.into(),
            thread_id: None,
            author,
            timestamp: Timestamp::now().to_string(),
            content: content.into().into_blocks(),
            metadata: None,
            tags: None,
            other: Map::new(),
        }
    }

    setters! {
        /// Sets the time at which the message was written.
        fn at(mut self, at: SystemTime) { self.timestamp = Timestamp::from(at).to_string() }

        /// Adds a word for the kind of message, and [the words that it implies](super::tag::close).
        fn tag(mut self, tag: Tag) {
            let tags = self.tags.get_or_insert_default();
            tags.push(tag.into());
            super::tag::close(tags);
        }
    }
}

objects! {
    /// The author of a message (MCPL 0.4.1 §14.3).
    pub struct Author {
        /// The author's id on the platform.
        id: String,
        /// The author's name.
        name: String,

        /// Makes an author.
        fn new(id: impl Into<String>, name: impl Into<String>);
    }

    /// The host's results for the messages.
    ///
    /// Implements MCPL 0.4.1 §14.3, the answer to `channels/incoming`.
    #[must_use = "a host may refuse some of the messages"]
    pub struct IncomingResults {
        /// One result for each message.
        results: Vec<IncomingResult>,

        /// Makes the answer from these results.
        fn new(results: Vec<IncomingResult>);
    }
}

impl IncomingResults {
    /// Whether the host accepted a message. A message without a result was not accepted.
    pub fn accepts(&self, message_id: &str) -> bool {
        let mut results = self.results.iter();
        results.any(|result| result.message_id == message_id && result.accepted)
    }
}

objects! {
    /// The host's result for one message (MCPL 0.4.1 §14.3).
    pub struct IncomingResult {
        /// The message.
        message_id: String,
        /// Whether the host accepted the message.
        accepted: bool,
        /// The conversation that the message went to.
        conversation_id?: String,

        /// Makes the result for a message.
        fn new(message_id: impl Into<String>, accepted: bool);

        /// Sets the conversation that the message went to.
        fn conversation(id: impl Into<String>) => conversation_id;
    }
}
