//! `serve`: serves one MCP client over standard input and output.

use std::{sync::Arc, time::Duration};

use super::{
    CommandError, Program, install,
    program::{SessionPlace, runtime},
};
use crate::{
    clients::{
        self,
        history::{CallReceipt, HookStore},
    },
    server::{Called, Guidance, Hooked, ServerHandler, stdio},
};

/// How long an access to a session's state waits for a hook's process.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

impl<H: ServerHandler> Program<H> {
    /// Serves one client over standard input and output, until the client disconnects.
    ///
    /// A client for which `hooks install` has written hooks receives guidance by these hooks and by prompts, so that no
    /// text arrives twice.
    ///
    /// # Errors
    ///
    /// The server cannot be made, does not fit its hooks, or its client breaks off the handshake.
    pub async fn serve(&self) -> Result<(), CommandError> {
        self.check_name()?;
        self.mend_meanwhile();
        let installed = install::installed_names(self);
        let has_hooks = move |client: &str| installed.iter().any(|name| client.starts_with(*name));
        let settings = |guidance: Guidance| guidance.by_own_hooks(has_hooks);
        let kept = SessionPlace::Here { patience: PATIENCE };
        let hooked = self.recorded(self.hooked(settings, kept).await?);
        match hooked.serve(stdio()).await {
            Ok(running) => {
                running.waiting().await?;
                Ok(())
            }
            // The client only asked for the server's information, and disconnected.
            Err(error) if error.is_closed() => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Records the calls, for `hooks stats`.
    pub(super) fn recorded(&self, hooked: Hooked<H>) -> Hooked<H> {
        let store = Arc::new(self.store());
        hooked.observed(move |called| {
            let store = store.clone();
            // The answer does not wait for the disk.
            tokio::task::spawn_blocking(move || record(&store, called));
        })
    }

    pub(super) fn serve_blocking(&self) -> Result<(), CommandError> {
        runtime()?.block_on(self.serve())
    }
}

/// Records the call of a tool, for `hooks stats`.
fn record(store: &HookStore, called: Called) {
    let client = clients::ALL
        .into_iter()
        .find(|client| called.client.starts_with(client.capabilities().handshake))
        .map_or(&*called.client, |client| client.name());
    let mut call = CallReceipt::new(called.tool, called.session, client);
    if !called.succeeded {
        call = call.failed();
    }
    if let Err(error) = store.record_call(&call) {
        tracing::debug!(%error, "a call is not recorded");
    }
}
