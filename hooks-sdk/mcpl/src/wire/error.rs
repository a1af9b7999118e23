//! The errors on the wire: JSON-RPC's error object, and the codes of appendix A.

use std::{error::Error as StdError, fmt};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The feature set of the message is not enabled.
pub const FEATURE_SET_NOT_ENABLED: i64 = -32001;
/// The capability is not granted (MCPL 0.5).
pub const CAPABILITY_DENIED: i64 = -32002;
/// The message names a feature set that is not declared.
pub const UNKNOWN_FEATURE_SET: i64 = -32003;
/// The checkpoint does not exist, or was pruned.
pub const CHECKPOINT_NOT_FOUND: i64 = -32005;
/// The channel is not permitted.
pub const CHANNEL_NOT_PERMITTED: i64 = -32017;
/// The channel does not exist.
pub const UNKNOWN_CHANNEL: i64 = -32023;
/// The channel could not be opened.
pub const CHANNEL_OPEN_FAILED: i64 = -32024;
/// JSON-RPC: the request is malformed.
pub const INVALID_REQUEST: i64 = -32600;
/// JSON-RPC: the method does not exist.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// JSON-RPC: the params do not fit the method.
pub const INVALID_PARAMS: i64 = -32602;
/// JSON-RPC: the receiver failed.
pub const INTERNAL_ERROR: i64 = -32603;

/// An error as JSON-RPC sends it.
///
/// Implements MCPL 0.4.1, appendix A: the constructors give the code, and the `data` where the document
/// defines some.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ErrorObject {
    /// The code: the kind of error.
    pub code: i64,
    /// What is wrong, for people.
    pub message: String,
    /// What is wrong, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl ErrorObject {
    /// Makes an error without data.
    pub fn new(code: i64, message: impl Into<String>) -> ErrorObject {
        ErrorObject {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Sets the data.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> ErrorObject {
        self.data = Some(data);
        self
    }

    /// Makes the error "the feature set is not enabled" (MCPL 0.4.1 §6.6). For a host of 0.5 pass no `can_enable`.
    pub fn feature_set_not_enabled(feature_set: &str, can_enable: Option<bool>) -> ErrorObject {
        let data = match can_enable {
            Some(can_enable) => json!({ "featureSet": feature_set, "canEnable": can_enable }),
            None => json!({ "featureSet": feature_set }),
        };
        ErrorObject::new(FEATURE_SET_NOT_ENABLED, "Feature set not enabled").with_data(data)
    }

    /// Makes the error "the channel could not be opened" (MCPL 0.4.1 §14.6).
    pub fn channel_open_failed(reason: impl fmt::Display) -> ErrorObject {
        ErrorObject::new(
            CHANNEL_OPEN_FAILED,
            format!("Channel open failed: {reason}"),
        )
    }

    /// Makes the error "the params do not fit the method".
    pub fn invalid_params(reason: impl fmt::Display) -> ErrorObject {
        ErrorObject::new(INVALID_PARAMS, format!("Invalid params: {reason}"))
    }

    /// Makes the error "the receiver failed". Put nothing into the message that the other side must not see.
    pub fn internal(message: impl Into<String>) -> ErrorObject {
        ErrorObject::new(INTERNAL_ERROR, message)
    }
}

macro_rules! about {
    ($($(#[$doc:meta])+ fn $name:ident($member:ident in $key:literal) = $code:ident, $message:literal;)+) => {
        impl ErrorObject {
            $($(#[$doc])+
            pub fn $name($member: &str) -> ErrorObject {
                ErrorObject::new($code, $message).with_data(json!({ $key: $member }))
            })+
        }
    };
}

about! {
    /// Makes the error "the capability is not granted" (MCPL 0.5).
    fn capability_denied(capability in "capability") = CAPABILITY_DENIED, "Capability denied";
    /// Makes the error "the feature set is not declared" (MCPL 0.4.1 §6.6).
    fn unknown_feature_set(feature_set in "featureSet") = UNKNOWN_FEATURE_SET, "Unknown feature set";
    /// Makes the error "the checkpoint does not exist, or was pruned" (MCPL 0.4.1 §8.7).
    fn checkpoint_not_found(checkpoint in "checkpoint") = CHECKPOINT_NOT_FOUND, "Checkpoint not found";
    /// Makes the error "the channel is not permitted" (MCPL 0.4.1 §14.6).
    fn channel_not_permitted(channel_id in "channelId") = CHANNEL_NOT_PERMITTED, "Channel not permitted";
    /// Makes the error "the channel does not exist" (MCPL 0.4.1 §14.6).
    fn unknown_channel(channel_id in "channelId") = UNKNOWN_CHANNEL, "Unknown channel";
    /// Makes the error "the method does not exist".
    fn method_not_found(method in "method") = METHOD_NOT_FOUND, "Method not found";
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl StdError for ErrorObject {}
