//! Messages that come in on channels.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Content, ContentBlock, Tag, content};
use crate::core::Timestamp;

/// A server hands messages to the host.
///
/// Implements MCPL 0.4.1 §14.3, the params of `channels/incoming`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChannelsIncoming {
    /// The messages, in their order.
    pub messages: Vec<IncomingMessage>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ChannelsIncoming {
    /// These messages.
    pub fn new(messages: Vec<IncomingMessage>) -> ChannelsIncoming {
        ChannelsIncoming {
            messages,
            other: Map::new(),
        }
    }
}

/// One message that came in.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct IncomingMessage {
    /// The channel.
    pub channel_id: String,
    /// The message's own id.
    pub message_id: String,
    /// The thread, where the channel has threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// Who wrote it.
    pub author: Author,
    /// When it was written, as RFC 3339.
    pub timestamp: String,
    /// What it says; a plain text is tolerated as one block.
    #[serde(deserialize_with = "content::blocks")]
    pub content: Vec<ContentBlock>,
    /// Anything else about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// What kind of message it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl IncomingMessage {
    /// A message that comes in now.
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

    /// Says in which thread it is.
    #[must_use]
    pub fn thread(mut self, id: impl Into<String>) -> IncomingMessage {
        self.thread_id = Some(id.into());
        self
    }

    /// Says when it was written.
    #[must_use]
    pub fn at(mut self, at: SystemTime) -> IncomingMessage {
        self.timestamp = Timestamp::from(at).to_string();
        self
    }

    /// Says anything else about it, in place of what was said.
    #[must_use]
    pub fn metadata(mut self, metadata: Map<String, Value>) -> IncomingMessage {
        self.metadata = Some(metadata);
        self
    }

    /// Says what kind of message it is, with [what that implies](super::tag::close).
    #[must_use]
    pub fn tag(mut self, tag: Tag) -> IncomingMessage {
        let tags = self.tags.get_or_insert_default();
        tags.push(tag.into());
        super::tag::close(tags);
        self
    }
}

/// Who wrote a message (MCPL 0.4.1 §14.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Author {
    /// The platform's id of them.
    pub id: String,
    /// Their name.
    pub name: String,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Author {
    /// Somebody.
    pub fn new(id: impl Into<String>, name: impl Into<String>) -> Author {
        Author {
            id: id.into(),
            name: name.into(),
            other: Map::new(),
        }
    }
}

/// What a host did with messages.
///
/// Implements MCPL 0.4.1 §14.3, the answer to `channels/incoming`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[must_use = "a host may refuse some of the messages"]
#[non_exhaustive]
pub struct IncomingResults {
    /// What it did with each.
    pub results: Vec<IncomingResult>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl IncomingResults {
    /// What was done with each.
    pub fn new(results: Vec<IncomingResult>) -> IncomingResults {
        IncomingResults {
            results,
            other: Map::new(),
        }
    }

    /// Whether the host took a message; one that the answer leaves out was not taken.
    pub fn accepts(&self, message_id: &str) -> bool {
        let mut results = self.results.iter();
        results.any(|result| result.message_id == message_id && result.accepted)
    }
}

/// What a host did with one message (MCPL 0.4.1 §14.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct IncomingResult {
    /// The message.
    pub message_id: String,
    /// Whether the host took it.
    pub accepted: bool,
    /// The conversation that it went to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl IncomingResult {
    /// Whether a message was taken.
    pub fn new(message_id: impl Into<String>, accepted: bool) -> IncomingResult {
        IncomingResult {
            message_id: message_id.into(),
            accepted,
            conversation_id: None,
            other: Map::new(),
        }
    }

    /// Names the conversation that it went to.
    #[must_use]
    pub fn conversation(mut self, id: impl Into<String>) -> IncomingResult {
        self.conversation_id = Some(id.into());
        self
    }
}
