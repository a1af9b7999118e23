//! `serve`

use std::env;

use super::{Failure, Program, install, program::runtime};
use crate::server::{ServeError, ServerHandler, stdio};

impl<H: ServerHandler> Program<H> {
    /// Serves one client over standard input and output, until it goes away.
    ///
    /// A client that `hooks install` wrote its hooks for gets guidance by these and by prompts, so that no text arrives
    /// twice.
    ///
    /// # Errors
    ///
    /// That the server cannot be made, does not fit its hooks, or its client breaks the handshake off.
    pub async fn serve(&self) -> Result<(), Failure> {
        let installed = install::installed_names(self);
        let hooked = self.hooked(|guidance| {
            guidance.by_own_hooks(move |client| installed.iter().any(|name| client.starts_with(name)))
        })?;
        match hooked.serve(stdio()).await {
            Ok(running) => {
                running.waiting().await?;
                Ok(())
            }
            // A client that only asked what this server is, and went away.
            Err(ServeError::Handshake(error)) if is_closed(&error) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn serve_blocking(&self) -> Result<(), Failure> {
        runtime()?.block_on(self.serve())
    }
}

fn is_closed(error: &impl std::fmt::Display) -> bool {
    error.to_string().contains("connection closed")
}

/// The session that the client which started this process gives itself.
pub(super) fn _client_session() -> Option<String> {
    env::var("CLAUDE_CODE_SESSION_ID").ok()
}
