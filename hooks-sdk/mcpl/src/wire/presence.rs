//! Presence on a channel: somebody is typing, and a message was seen.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use hooks_core::Open;

/// A host shows on a channel that it is typing.
///
/// The params of `channels/typing`. MCPL 0.5 names the method without its members; these are the ones in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Typing {
    /// The channel.
    pub channel_id: String,
    /// Whether typing starts or stops. It starts if the member is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op: Option<Open<TypingOp>>,
    /// Further information.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
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

/// A host shows on a channel that it saw a message.
///
/// The params of `channels/acknowledge`. MCPL 0.5 names the method without its members; these are the ones in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Acknowledge {
    /// The channel.
    pub channel_id: String,
    /// The message.
    pub message_id: String,
    /// The form of the acknowledgement, if the platform has a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Whether the platform now shows that the host saw a message.
///
/// The answer to `channels/acknowledge` of MCPL 0.5, with the members in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Acknowledged {
    /// Whether the acknowledgement is shown.
    pub acknowledged: bool,
    /// How it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub representation: Option<Value>,
    /// Why it is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Acknowledged {
    /// The acknowledgement is shown.
    pub fn done() -> Acknowledged {
        Acknowledged {
            acknowledged: true,
            representation: None,
            reason: None,
            other: Map::new(),
        }
    }

    /// The acknowledgement is not shown.
    pub fn failed(reason: impl Into<String>) -> Acknowledged {
        Acknowledged {
            acknowledged: false,
            reason: Some(reason.into()),
            ..Acknowledged::done()
        }
    }

    /// Sets how it is shown.
    #[must_use]
    pub fn representation(mut self, representation: impl Into<Value>) -> Acknowledged {
        self.representation = Some(representation.into());
        self
    }
}
