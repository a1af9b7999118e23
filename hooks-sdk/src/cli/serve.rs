//! `serve`

use std::sync::Arc;

use super::{Failure, Program, install, program::runtime};
use crate::{
    clients::{
        self,
        receipts::{Call, HookStore},
    },
    server::{Called, ServeError, ServerHandler, stdio},
};

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
            guidance
                .by_own_hooks(move |client| installed.iter().any(|name| client.starts_with(name)))
        })?;
        let store = Arc::new(self.store());
        let hooked = hooked.observed(move |called| {
            let store = store.clone();
            // The answer does not wait for the disk.
            tokio::task::spawn_blocking(move || record(&store, called));
        });
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

/// Keeps that a tool was called, for who asks whether hooks are followed.
fn record(store: &HookStore, called: Called) {
    // A client calls itself by its name with something behind it.
    let client = clients::ALL
        .into_iter()
        .find(|client| called.client.starts_with(client.name()))
        .map_or(&*called.client, |client| client.name());
    let mut call = Call::new(called.tool, called.session, client);
    if !called.succeeded {
        call = call.failed();
    }
    if let Err(error) = store.record_call(&call) {
        tracing::debug!(%error, "a call is not recorded");
    }
}
