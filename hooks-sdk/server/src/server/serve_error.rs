//! The error of a hooked server that cannot be served.

use std::fmt;

use rmcp::service::ServerInitializeError;
use thiserror::Error;

use hooks_core::BuildErrors;

/// The error of a hooked server that cannot be served. Its `Debug` output equals its `Display` output, as with
/// [`BuildErrors`].
#[derive(Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The settings do not fit the server's hooks and tools.
    #[error(transparent)]
    Build(#[from] BuildErrors),
    /// The handshake failed.
    #[error("{}", handshake(.0))]
    Handshake(#[from] Box<ServerInitializeError>),
}

impl fmt::Debug for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns the problem of the handshake, without the message that rmcp prints in Rust's `Debug` format.
fn handshake(error: &ServerInitializeError) -> String {
    match error {
        ServerInitializeError::ConnectionClosed(_) => {
            "the client closed the connection before the handshake ended\n    help: let an MCP client start this server"
                .to_owned()
        }
        ServerInitializeError::ExpectedInitializeRequest(_) => {
            "the client's first message is not `initialize`\n    help: let an MCP client start this server".to_owned()
        }
        ServerInitializeError::InitializeFailed(refusal) => {
            format!("the server refused the handshake: {}", refusal.message)
        }
        other => format!("the handshake failed: {other}"),
    }
}

impl ServeError {
    /// Returns whether the client closed the connection before the handshake ended. A client does so if it only asks
    /// what a server is.
    pub fn is_closed(&self) -> bool {
        match self {
            ServeError::Build(_) => false,
            ServeError::Handshake(error) => {
                matches!(**error, ServerInitializeError::ConnectionClosed(_))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::ErrorData;

    use super::*;

    #[test]
    fn a_main_that_returns_it_prints_prose() {
        let closed = ServerInitializeError::ConnectionClosed("initialize request".into());
        let error = ServeError::from(Box::new(closed));
        assert!(error.is_closed());
        assert_eq!(
            format!("{error:?}"),
            "the client closed the connection before the handshake ended\n    help: let an MCP client start this server"
        );
        let refused = ErrorData::internal_error("the storage is gone", None);
        let refused = ServerInitializeError::InitializeFailed(refused);
        assert_eq!(
            format!("{:?}", ServeError::from(Box::new(refused))),
            "the server refused the handshake: the storage is gone"
        );
    }
}
