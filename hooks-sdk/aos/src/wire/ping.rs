//! Ping: is the guardian there?

use serde::{Deserialize, Serialize};

use super::present::timestamp;
use hooks_core::Timestamp;

objects! {
    /// The question whether a guardian is there.
    pub struct Ping {
        /// When the question was asked: a date and a time of ISO 8601.
        #[serde(deserialize_with = "timestamp")]
        timestamp: String,
        /// How long the asker waits, in milliseconds.
        timeout?: i64,
        metadata,

        /// Makes a question.
        fn new(timestamp: impl Into<String>);
    }

    /// A guardian's answer to a ping.
    pub struct PingReply {
        /// Whether it can decide.
        status: PingStatus,
        /// The guardian's version.
        version: String,
        /// When it answered: a date and a time of ISO 8601.
        #[serde(deserialize_with = "timestamp")]
        timestamp: String,
        metadata,

        /// Makes an answer.
        fn new(
            status: PingStatus,
            version: impl Into<String>,
            timestamp: impl Into<String>
        );
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
