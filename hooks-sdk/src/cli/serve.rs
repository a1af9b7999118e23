//! `serve`: serves one MCP client over standard input and output.

use std::{future::pending, pin::pin, thread, time::Duration};

use futures::future::{Either, select};
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::{
    CommandError, Program, install,
    program::{SessionPlace, runtime},
};
use crate::{
    clients::history::Retention,
    server::{Guidance, ServerHandler},
};
use hooks_server::internal::{AnyAuthor, stdio_until};

/// How long an access to a session's state waits for a hook's process.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How long the process waits for records that are being written, when it ends by a signal.
const LAST_WRITES: Duration = Duration::from_millis(500);

/// How often a server looks whether its parent process still runs.
#[cfg(unix)]
const LOOK: Duration = Duration::from_secs(3);

impl<H: ServerHandler> Program<H> {
    /// Serves one client over standard input and output, until the client disconnects.
    ///
    /// On Unix, the end of the parent process after the handshake ends the server, too: another process may still have the
    /// pipe open.
    ///
    /// A client for which `hooks install` has written hooks receives guidance by these hooks and by prompts, so that no
    /// text arrives twice.
    ///
    /// # Errors
    ///
    /// The server cannot be made, does not fit its hooks, or its client breaks off the handshake.
    pub async fn serve(&self) -> Result<(), CommandError> {
        let end = CancellationToken::new();
        self.without_type().serve_until(end).await
    }

    /// Serves one client in a runtime of its own. SIGTERM ends it like the end of the client's input, and a second one at
    /// once. A program with commands of its own calls it for its `serve`.
    ///
    /// # Errors
    ///
    /// Those of [`serve`](Program::serve), and a runtime that cannot be made.
    ///
    /// # Panics
    ///
    /// If it is called inside a tokio runtime.
    pub fn serve_blocking(&self) -> Result<(), CommandError> {
        self.without_type().serve_in_runtime()
    }
}

impl Program<AnyAuthor> {
    /// Serves until the client disconnects, or `end` is cancelled.
    async fn serve_until(&self, end: CancellationToken) -> Result<(), CommandError> {
        self.check_name()?;
        #[cfg(feature = "policy-engine")]
        self.check_gates(false)?;
        let installed = install::installed_names(self);
        let has_hooks = move |client: &str| installed.iter().any(|name| client.starts_with(*name));
        let settings = |guidance: Guidance| guidance.by_own_hooks(has_hooks);
        let kept = SessionPlace::Here { patience: PATIENCE };
        let hooked = self.offered(self.hooked(settings, kept).await?);
        self.prune_meanwhile();
        match hooked.serve(stdio_until(end.clone())).await {
            Ok(running) => {
                let waiting = pin!(running.waiting());
                match select(waiting, pin!(orphaned())).await {
                    Either::Left((ended, _)) => ended?,
                    Either::Right(((), waiting)) => {
                        tracing::warn!("the parent process has ended, and so does the server");
                        end.cancel();
                        waiting.await?
                    }
                };
                Ok(())
            }
            // The client only asked for the server's information, and disconnected.
            Err(error) if error.is_closed() => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes old receipts, without a delay of the caller.
    fn prune_meanwhile(&self) {
        let store = self.store();
        thread::spawn(move || {
            if let Err(error) = store.prune(Retention::default()) {
                tracing::debug!(%error, "old receipts are not deleted");
            }
        });
    }

    fn serve_in_runtime(&self) -> Result<(), CommandError> {
        let runtime = runtime()?;
        let end = CancellationToken::new();
        let outcome = runtime.block_on(async {
            let serving = pin!(self.serve_until(end.clone()));
            let at_once = pin!(ended_twice(&end));
            match select(serving, at_once).await {
                Either::Left((outcome, _)) => outcome,
                Either::Right(((), _)) => Ok(()),
            }
        });
        if end.is_cancelled() {
            // A thread still reads standard input, and nothing can end it.
            runtime.shutdown_timeout(LAST_WRITES);
        }
        outcome
    }
}

/// Completes when the parent process has ended. A launcher may end before the client has shaken hands, so it is called
/// after that.
async fn orphaned() {
    #[cfg(unix)]
    {
        use std::os::unix::process::parent_id;
        let parent = parent_id();
        while parent == 1 || parent_id() == parent {
            tokio::time::sleep(LOOK).await;
        }
    }
    #[cfg(not(unix))]
    pending::<()>().await;
}

/// Cancels `end` at the first SIGTERM. Completes at the second one.
async fn ended_twice(end: &CancellationToken) {
    #[cfg(unix)]
    match signal(SignalKind::terminate()) {
        Ok(mut told) => {
            told.recv().await;
            end.cancel();
            told.recv().await;
            return;
        }
        Err(error) => tracing::warn!(%error, "SIGTERM ends the process at once"),
    }
    #[cfg(not(unix))]
    let _: &CancellationToken = end;
    pending::<()>().await;
}
