//! A server in a task of its own, at the other end of a pipe.

use std::sync::Arc;

use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

use super::{ServerHandler, ServiceExt, SharedService, WireTransport, serving};

/// The number of bytes that one end can send before the other end reads.
const PIPE: usize = 256 * 1024;

/// Serves `server` behind the wire shim, or on rmcp's own stream transport.
pub fn serve_in_memory(
    server: impl ServerHandler,
    shim: bool,
) -> (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
    served(SharedService::Any(Arc::new(server)), shim)
}

fn served(server: SharedService, shim: bool) -> (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
    let (ours, theirs) = tokio::io::duplex(PIPE);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(async move {
        let running = if shim {
            let handshake = server.clone().serve(WireTransport::new(read, write));
            serving(server, handshake).await
        } else {
            server.serve((read, write)).await
        };
        if let Ok(running) = running {
            _ = running.waiting().await;
        }
    });
    tokio::io::split(ours)
}
