//! Listens on an address until the process is told to stop.

use std::pin::pin;

use futures::future::{self, BoxFuture, FutureExt};
use tokio::net::TcpListener;

use super::error::HttpError;

/// Listens on the address and tells its URL with `path`. Then `serve` runs with the listener and a future that ends at
/// SIGTERM or Ctrl-C. A second signal ends it at once.
///
/// # Errors
///
/// The address is not free.
pub async fn until_told<F: Future<Output = ()>>(
    address: &str,
    path: &str,
    tell: impl FnOnce(&str),
    serve: impl FnOnce(TcpListener, BoxFuture<'static, ()>) -> F,
) -> Result<(), HttpError> {
    let listen = |source| HttpError::Listen {
        address: address.to_owned(),
        source,
    };
    let listener = TcpListener::bind(address).await.map_err(listen)?;
    let bound = listener.local_addr().map_err(listen)?;
    let mut told = told_to_stop().boxed();
    // It hears signals from its first poll on.
    _ = future::poll_immediate(&mut told).await;
    tell(&format!("http://{bound}{path}"));
    let serving = pin!(serve(listener, told));
    let at_once = pin!(async {
        told_to_stop().await;
        told_to_stop().await;
    });
    future::select(serving, at_once).await;
    Ok(())
}

/// Waits until the process is told to stop.
async fn told_to_stop() {
    let interrupt = pin!(async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::warn!(target: "hooks_sdk::http", %error, "Ctrl-C is not heard");
            future::pending::<()>().await;
        }
    });
    #[cfg(unix)]
    let terminate = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => _ = signal.recv().await,
            Err(error) => {
                tracing::warn!(target: "hooks_sdk::http", %error, "SIGTERM is not heard");
                future::pending::<()>().await;
            }
        }
    };
    #[cfg(not(unix))]
    let terminate = future::pending::<()>();
    future::select(interrupt, pin!(terminate)).await;
}
