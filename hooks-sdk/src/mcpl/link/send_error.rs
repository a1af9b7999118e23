//! Why a message did not reach the host, or came back refused.

use std::time::Duration;

use thiserror::Error;

use crate::mcpl::{ErrorObject, wire::error};

/// Why something that a server wanted of its host did not happen.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SendError {
    /// The host is a plain MCP host, to which no MCPL message is ever sent (MCPL 0.4.1 §3.2).
    #[error("the host does not speak MCPL")]
    NoHost,
    /// The host has not said yet what it allows.
    #[error(
        "the host has not sent its policy yet; send from an `enabled` hook, which runs when it has"
    )]
    BeforePolicy {
        /// The feature set, if it was sent for one.
        feature_set: Option<String>,
        /// The capability that a 0.5 host has to grant first.
        capability: Option<String>,
    },
    /// The host has disabled the feature set.
    #[error("the host has not enabled the feature set `{feature_set}`")]
    NotEnabled {
        /// The feature set.
        feature_set: String,
    },
    /// The feature set is not among those that the server declares now.
    #[error(
        "the feature set `{feature_set}` is not declared; add it with `change_feature_sets` first"
    )]
    UnknownFeatureSet {
        /// The feature set.
        feature_set: String,
    },
    /// A 0.5 host has not granted the path, or a host says that it has none such.
    #[error("the host has not granted `{capability}`")]
    NotGranted {
        /// The path of the capability.
        capability: String,
    },
    /// The host's version of the protocol has no such method.
    #[error("MCPL {version} has no `{method}`")]
    NotInVersion {
        /// The method.
        method: &'static str,
        /// The version that is spoken.
        version: &'static str,
    },
    /// It was sent while a context hook runs, which must not wait for the host (MCPL 0.4.1 §10.7).
    #[error("a context hook must not ask its host; use `cx.after_answer(…)`")]
    InsideHook,
    /// Two channels of one message have one id, which is unique within a connection (MCPL 0.4.1 §14.2).
    #[error("two channels have the id `{id}`; give each an id of its own")]
    DuplicateChannel {
        /// The id.
        id: String,
    },
    /// MCP 2026-07-28 has no requests from servers to clients, so that nothing can be asked of this host.
    #[error(
        "`{method}` is a request to the host, and MCP 2026-07-28 has none; the host has to connect with `initialize`"
    )]
    NoRequests {
        /// The method.
        method: &'static str,
    },
    /// The host did not answer in time.
    #[error("the host did not answer within {} ms", .0.as_millis())]
    TimedOut(Duration),
    /// The connection is gone.
    #[error("the connection to the host is closed")]
    Closed,
    /// The host answered with an error.
    #[error("the host refused: {0}")]
    Refused(ErrorObject),
    /// The host's answer is not what the document says.
    #[error("the host's answer to `{method}` cannot be read: {problem}")]
    Malformed {
        /// The method.
        method: &'static str,
        /// What is wrong.
        problem: String,
    },
}

impl SendError {
    /// Whether nothing was put on the wire, or nothing came back: everything but the host's own refusal.
    pub fn is_local(&self) -> bool {
        !matches!(self, SendError::Refused(_))
    }

    /// The JSON-RPC error that says the same to the host, in the document's words where it has some; a host's own comes
    /// back as it was.
    pub fn to_error(&self) -> ErrorObject {
        match self {
            SendError::Refused(error) => error.clone(),
            SendError::BeforePolicy {
                capability: Some(capability),
                ..
            }
            | SendError::NotGranted { capability } => ErrorObject::capability_denied(capability),
            SendError::BeforePolicy {
                feature_set: Some(feature_set),
                ..
            }
            | SendError::NotEnabled { feature_set } => {
                ErrorObject::feature_set_not_enabled(feature_set, None)
            }
            SendError::UnknownFeatureSet { feature_set } => {
                ErrorObject::unknown_feature_set(feature_set)
            }
            SendError::BeforePolicy { .. } | SendError::NoHost => {
                ErrorObject::new(error::FEATURE_SET_NOT_ENABLED, self.to_string())
            }
            SendError::NotInVersion { .. } | SendError::NoRequests { .. } => {
                ErrorObject::new(error::METHOD_NOT_FOUND, self.to_string())
            }
            SendError::DuplicateChannel { .. } => ErrorObject::invalid_params(self),
            SendError::InsideHook
            | SendError::TimedOut(_)
            | SendError::Closed
            | SendError::Malformed { .. } => ErrorObject::internal(self.to_string()),
        }
    }

    /// The code of [`to_error`](SendError::to_error).
    pub fn code(&self) -> i64 {
        self.to_error().code
    }
}
