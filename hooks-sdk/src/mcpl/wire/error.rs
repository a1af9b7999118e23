//! The errors of the wire: JSON-RPC's error object, and the codes of appendix A.

use std::{error::Error as StdError, fmt};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The feature set of the message is not enabled.
pub const FEATURE_SET_NOT_ENABLED: i64 = -32001;
/// The capability is not granted (MCPL 0.5).
pub const CAPABILITY_DENIED: i64 = -32002;
/// The message names a feature set that nobody declared.
pub const UNKNOWN_FEATURE_SET: i64 = -32003;
/// There is no such checkpoint, or no longer.
pub const CHECKPOINT_NOT_FOUND: i64 = -32005;
/// The channel is outside what was permitted.
pub const CHANNEL_NOT_PERMITTED: i64 = -32017;
/// There is no such channel.
pub const UNKNOWN_CHANNEL: i64 = -32023;
/// The channel that was asked for could not be opened.
pub const CHANNEL_OPEN_FAILED: i64 = -32024;
/// JSON-RPC: the request is malformed.
pub const INVALID_REQUEST: i64 = -32600;
/// JSON-RPC: there is no such method.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// JSON-RPC: the params are not the method's.
pub const INVALID_PARAMS: i64 = -32602;
/// JSON-RPC: the answering side failed.
pub const INTERNAL_ERROR: i64 = -32603;

/// An error as JSON-RPC carries it.
///
/// Implements MCPL 0.4.1, appendix A: the constructors give the code, and the `data` where the document
/// defines some.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ErrorObject {
    /// What kind of error it is.
    pub code: i64,
    /// What went wrong, for people.
    pub message: String,
    /// What went wrong, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl ErrorObject {
    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> ErrorObject {
        ErrorObject {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Adds data, in place of any.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> ErrorObject {
        self.data = Some(data);
        self
    }

    /// The feature set is not enabled (MCPL 0.4.1 §6.6); `can_enable` is left out for a host of 0.5.
    pub fn feature_set_not_enabled(feature_set: &str, can_enable: Option<bool>) -> ErrorObject {
        let data = match can_enable {
            Some(can_enable) => json!({ "featureSet": feature_set, "canEnable": can_enable }),
            None => json!({ "featureSet": feature_set }),
        };
        ErrorObject::new(FEATURE_SET_NOT_ENABLED, "Feature set not enabled").with_data(data)
    }

    /// The capability is not granted (MCPL 0.5).
    pub fn capability_denied(capability: &str) -> ErrorObject {
        ErrorObject::new(CAPABILITY_DENIED, "Capability denied")
            .with_data(json!({ "capability": capability }))
    }

    /// Nobody declared the feature set (MCPL 0.4.1 §6.6).
    pub fn unknown_feature_set(feature_set: &str) -> ErrorObject {
        ErrorObject::new(UNKNOWN_FEATURE_SET, "Unknown feature set")
            .with_data(json!({ "featureSet": feature_set }))
    }

    /// There is no such checkpoint, or no longer (MCPL 0.4.1 §8.7).
    pub fn checkpoint_not_found(checkpoint: &str) -> ErrorObject {
        ErrorObject::new(CHECKPOINT_NOT_FOUND, "Checkpoint not found")
            .with_data(json!({ "checkpoint": checkpoint }))
    }

    /// The channel is outside what was permitted (MCPL 0.4.1 §14.6).
    pub fn channel_not_permitted(channel_id: &str) -> ErrorObject {
        ErrorObject::new(CHANNEL_NOT_PERMITTED, "Channel not permitted")
            .with_data(json!({ "channelId": channel_id }))
    }

    /// There is no such channel (MCPL 0.4.1 §14.6).
    pub fn unknown_channel(channel_id: &str) -> ErrorObject {
        ErrorObject::new(UNKNOWN_CHANNEL, "Unknown channel")
            .with_data(json!({ "channelId": channel_id }))
    }

    /// The channel could not be opened (MCPL 0.4.1 §14.6).
    pub fn channel_open_failed(reason: impl fmt::Display) -> ErrorObject {
        ErrorObject::new(
            CHANNEL_OPEN_FAILED,
            format!("Channel open failed: {reason}"),
        )
    }

    /// The params are not the method's.
    pub fn invalid_params(reason: impl fmt::Display) -> ErrorObject {
        ErrorObject::new(INVALID_PARAMS, format!("Invalid params: {reason}"))
    }

    /// There is no such method.
    pub fn method_not_found(method: &str) -> ErrorObject {
        ErrorObject::new(METHOD_NOT_FOUND, "Method not found")
            .with_data(json!({ "method": method }))
    }

    /// The answering side failed; what happened is not for the peer.
    pub fn internal(message: impl Into<String>) -> ErrorObject {
        ErrorObject::new(INTERNAL_ERROR, message)
    }
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl StdError for ErrorObject {}
