//! A server in a task of its own, at the other end of a pipe.

use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

use crate::server::{ServerHandler, ServiceExt, WireTransport};

/// How much one end may send before the other has read it, in bytes.
const PIPE: usize = 256 * 1024;

/// Serves `server`, behind the wire shim or on the transport that streams have without it.
pub(super) fn serve(
    server: impl ServerHandler,
    shim: bool,
) -> (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
    let (ours, theirs) = tokio::io::duplex(PIPE);
    let (read, write) = tokio::io::split(theirs);
    if shim {
        tokio::spawn(async move {
            if let Ok(running) = server.serve(WireTransport::new(read, write)).await {
                _ = running.waiting().await;
            }
        });
    } else {
        tokio::spawn(async move {
            if let Ok(running) = server.serve((read, write)).await {
                _ = running.waiting().await;
            }
        });
    }
    tokio::io::split(ours)
}
