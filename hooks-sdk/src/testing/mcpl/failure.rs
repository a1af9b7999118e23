//! Why a call of the host has no result.

use serde_json::Value;
use thiserror::Error;

use super::audit::AuditOutcome;
use crate::testing::RequestError;

/// Why a call of the host has no result.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CallError {
    /// The server refused, went away, or did not answer in time.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The server's result is not of the method's shape.
    #[error("malformed result: {reason}")]
    Malformed {
        /// What is wrong with it.
        reason: String,
        /// The result as it stood on the wire.
        result: Value,
    },
}

impl CallError {
    /// The JSON-RPC error code that the server answered with.
    pub fn code(&self) -> Option<i64> {
        match self {
            CallError::Request(RequestError::Refused { code, .. }) => Some(*code),
            _ => None,
        }
    }

    /// The JSON-RPC error data that the server answered with; `null` when there is none.
    pub fn data(&self) -> Option<&Value> {
        match self {
            CallError::Request(RequestError::Refused { data, .. }) => Some(data),
            _ => None,
        }
    }

    /// Whether nothing came in time.
    pub fn is_timeout(&self) -> bool {
        matches!(self, CallError::Request(RequestError::TimedOut(_)))
    }

    pub(super) fn outcome(&self) -> AuditOutcome {
        match self {
            CallError::Request(error) => AuditOutcome::of(error),
            CallError::Malformed { reason, .. } => AuditOutcome::Failed(reason.clone()),
        }
    }
}
