//! Why a message was not sent, or came back refused.

use std::time::Duration;

use thiserror::Error;

use crate::{ErrorObject, wire::error};

/// Why a server's message to its host failed.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SendError {
    /// The host is a plain MCP host. No MCPL message is ever sent to it (MCPL 0.4.1 §3.2).
    #[error("the host does not speak MCPL")]
    NoHost,
    /// The host has not sent its policy yet.
    #[error(
        "the host has not sent its policy yet; send from an `enabled` hook, which runs when it has"
    )]
    BeforePolicy {
        /// The feature set, if the message belongs to one.
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
    /// The server does not declare the feature set now.
    #[error(
        "the feature set `{feature_set}` is not declared; add it with `change_feature_sets` first"
    )]
    UnknownFeatureSet {
        /// The feature set.
        feature_set: String,
    },
    /// A 0.5 host has not granted the capability, or a host said in the handshake that it lacks it.
    #[error("the host has not granted `{capability}`")]
    NotGranted {
        /// The path of the capability.
        capability: String,
    },
    /// The host's version of the protocol does not have the method.
    #[error("MCPL {version} has no `{method}`")]
    NotInVersion {
        /// The method.
        method: &'static str,
        /// The version of the connection.
        version: &'static str,
    },
    /// A context hook is running in this task. It must not wait for the host (MCPL 0.4.1 §10.7).
    #[error("a context hook must not ask its host; use `cx.after_answer(…)`")]
    InsideHook,
    /// Two channels in one message have the same id, which must be unique within a connection (MCPL 0.4.1 §14.2).
    #[error("two channels have the id `{id}`; give each an id of its own")]
    DuplicateChannel {
        /// The id.
        id: String,
    },
    /// The connection speaks MCP 2026-07-28, which has no requests from servers to clients.
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
    /// The host's answer does not have the document's shape.
    #[error("the host's answer to `{method}` cannot be read: {problem}")]
    Malformed {
        /// The method.
        method: &'static str,
        /// What is wrong.
        problem: String,
    },
}

impl SendError {
    /// Whether the failure is local: nothing was sent, or no usable answer arrived. It is `false` only if the host
    /// itself refused.
    pub fn is_local(&self) -> bool {
        !matches!(self, SendError::Refused(_))
    }

    /// Returns the JSON-RPC error that reports this to the host, in the document's words where it has some. An error
    /// that came from the host is returned unchanged.
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

    /// Returns the code of [`to_error`](SendError::to_error).
    pub fn code(&self) -> i64 {
        self.to_error().code
    }
}
