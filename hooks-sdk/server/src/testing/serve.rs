//! A server in a task of its own, at the other end of a pipe.

use std::{borrow::Cow, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, Service,
    model::{ClientNotification, ClientRequest, ProtocolVersion, ServerConfig, ServerResult},
    service::{NotificationContext, RequestContext},
};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

use crate::server::{ServerHandler, ServiceExt, SharedService, WireTransport, serving_any};

/// The number of bytes that one end can send before the other end reads.
const PIPE: usize = 256 * 1024;

/// Serves `server` behind the wire shim, or on rmcp's own stream transport.
pub(super) fn serve(
    server: impl ServerHandler,
    shim: bool,
) -> (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
    served(SharedService::Any(Arc::new(server)), shim)
}

fn served(server: SharedService, shim: bool) -> (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
    let (ours, theirs) = tokio::io::duplex(PIPE);
    let (read, write) = tokio::io::split(theirs);
    let handshake = Shared(server.clone());
    tokio::spawn(async move {
        let running = if shim {
            let serving = handshake.serve(WireTransport::new(read, write));
            serving_any(server, serving).await
        } else {
            handshake.serve((read, write)).await
        };
        if let Ok(running) = running {
            _ = running.waiting().await;
        }
    });
    tokio::io::split(ours)
}

/// A server that two sides have: rmcp's loop, and ours.
struct Shared(SharedService);

impl Service<RoleServer> for Shared {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        self.0.as_rmcp().handle_request(request, context).await
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0
            .as_rmcp()
            .handle_notification(notification, context)
            .await
    }

    fn get_info(&self) -> ServerConfig {
        self.0.as_rmcp().get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.0.as_rmcp().supported_protocol_versions()
    }
}
