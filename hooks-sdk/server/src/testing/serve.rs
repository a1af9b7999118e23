//! A server in a task of its own, at the other end of a pipe.

use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

use crate::server::{AnyServer, ServerHandler, ServiceExt, WireTransport};

/// The number of bytes that one end can send before the other end reads.
const PIPE: usize = 256 * 1024;

/// Serves `server` behind the wire shim, or on rmcp's own stream transport.
pub(super) fn serve(
    server: impl ServerHandler,
    shim: bool,
) -> (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
    served(Box::new(server), shim)
}

fn served(server: AnyServer, shim: bool) -> (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
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
