//! Why a host has no connection, or a request no result.

use std::{io, time::Duration};

use serde_json::Value;
use thiserror::Error;

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The server answered with a JSON-RPC error.
    #[error("error {code}: {message}")]
    Refused {
        /// The JSON-RPC error code.
        code: i64,
        /// The JSON-RPC error message.
        message: String,
        /// The JSON-RPC error data; `null` if there is none.
        data: Value,
    },
    /// The server closed the connection first.
    #[error("the server closed the connection before it answered")]
    Closed,
    /// No answer arrived in time.
    #[error("the server did not answer within {} ms", .0.as_millis())]
    TimedOut(Duration),
}

/// Why a host could not connect.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The handshake was refused or not answered.
    #[error("the handshake failed: {0}")]
    Handshake(#[from] RequestError),
    /// The server did not accept the policy of an MCPL host.
    #[error("the server did not take the policy: {0}")]
    Policy(#[from] CallError),
    /// The stream failed.
    #[error("the stream failed: {0}")]
    Stream(#[from] io::Error),
}

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
}
