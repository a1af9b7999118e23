//! Signs of life on a channel: somebody is writing, and a message was seen.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::Open;

/// A host shows on a channel that it is writing.
///
/// The params of `channels/typing`, which MCPL 0.5 names without giving its members; these are the ones in
/// use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Typing {
    /// The channel.
    pub channel_id: String,
    /// Whether it begins or ends; it begins unless it says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op: Option<Open<TypingOp>>,
    /// Anything else about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Whether writing begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum TypingOp {
    /// It begins.
    Start,
    /// It ends.
    Stop,
}

/// A host shows on a channel that it saw a message.
///
/// The params of `channels/acknowledge`, which MCPL 0.5 names without giving its members; these are the
/// ones in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Acknowledge {
    /// The channel.
    pub channel_id: String,
    /// The message.
    pub message_id: String,
    /// How it is shown, where the platform has a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Whether it was shown that the host saw a message.
///
/// The answer to `channels/acknowledge` of MCPL 0.5, with the members in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Acknowledged {
    /// Whether it was.
    pub acknowledged: bool,
    /// How it was shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub representation: Option<Value>,
    /// Why it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Acknowledged {
    /// It was shown.
    pub fn done() -> Acknowledged {
        Acknowledged {
            acknowledged: true,
            representation: None,
            reason: None,
            other: Map::new(),
        }
    }

    /// It was not shown.
    pub fn failed(reason: impl Into<String>) -> Acknowledged {
        Acknowledged {
            acknowledged: false,
            reason: Some(reason.into()),
            ..Acknowledged::done()
        }
    }

    /// Says how it was shown.
    #[must_use]
    pub fn representation(mut self, representation: impl Into<Value>) -> Acknowledged {
        self.representation = Some(representation.into());
        self
    }
}
