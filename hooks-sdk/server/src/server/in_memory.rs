//! A server in a task of its own, at the other end of a pipe.

use std::sync::Arc;

use rmcp::transport::IntoTransport;
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

use super::{
    ServerHandler, ServiceExt, SharedService, WireTransport, serving,
    transport::boxed::BoxedTransport,
};

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
    let transport = if shim {
        BoxedTransport::new(WireTransport::new(read, write))
    } else {
        BoxedTransport::new((read, write).into_transport())
    };
    tokio::spawn(async move {
        let handshake = server.clone().serve(transport);
        if let Ok(running) = serving(server, handshake).await {
            _ = running.waiting().await;
        }
    });
    tokio::io::split(ours)
}
