//! Ping: is the guardian there?

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::present::{metadata, present, timestamp};
use hooks_core::Timestamp;

/// The question whether a guardian is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Ping {
    /// When the question was asked: a date and a time of ISO 8601.
    #[serde(deserialize_with = "timestamp")]
    pub timestamp: String,
    /// How long the asker waits, in milliseconds.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub timeout: Option<i64>,
    /// Further facts: an object, or `null`.
    #[serde(
        default,
        deserialize_with = "metadata",
        skip_serializing_if = "Option::is_none"
    )]
    pub metadata: Option<Option<Map<String, Value>>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Ping {
    /// Makes a question.
    pub fn new(timestamp: impl Into<String>) -> Ping {
        Ping {
            timestamp: timestamp.into(),
            timeout: None,
            metadata: None,
            other: Map::new(),
        }
    }
}

/// A guardian's answer to a ping.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PingReply {
    /// Whether it can decide.
    pub status: PingStatus,
    /// The guardian's version.
    pub version: String,
    /// When it answered: a date and a time of ISO 8601.
    #[serde(deserialize_with = "timestamp")]
    pub timestamp: String,
    /// Further facts: an object, or `null`.
    #[serde(
        default,
        deserialize_with = "metadata",
        skip_serializing_if = "Option::is_none"
    )]
    pub metadata: Option<Option<Map<String, Value>>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl PingReply {
    /// Makes an answer.
    pub fn new(
        status: PingStatus,
        version: impl Into<String>,
        timestamp: impl Into<String>,
    ) -> PingReply {
        PingReply {
            status,
            version: version.into(),
            timestamp: timestamp.into(),
            metadata: None,
            other: Map::new(),
        }
    }
}

impl PingReply {
    /// Makes the answer of this SDK's guardian, now.
    pub(crate) fn now() -> PingReply {
        PingReply::new(
            PingStatus::Connected,
            env!("CARGO_PKG_VERSION"),
            Timestamp::now().to_string(),
        )
    }
}

/// Whether a guardian can decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum PingStatus {
    /// It can.
    Connected,
    /// It cannot.
    Error,
}
