//! A server whose type is not known: rmcp's loop has it for the handshake, and the transport of a stream for the requests.

use std::{borrow::Cow, sync::Arc};

use futures::future::BoxFuture;
use rmcp::{
    ErrorData, RoleServer, Service,
    model::{ClientNotification, ClientRequest, ProtocolVersion, ServerConfig, ServerResult},
    service::{DynService, NotificationContext, RequestContext},
};

use super::{HookedService, pipeline::Pipeline};

tokio::task_local! {
    /// The server that is being served, with its pipeline if it is known.
    pub(super) static SERVED: (SharedService, Option<Pipeline>);
}

/// A server whose type is not known. What serves it is compiled once, and not for each author's type.
#[derive(Clone)]
pub(crate) enum SharedService {
    Hooked(Arc<HookedService>),
    /// A server that may have no hooks, or something around a hooked one.
    #[cfg(feature = "testing")]
    Any(Arc<dyn DynService<RoleServer>>),
}

impl SharedService {
    /// Answers a request. The connection has had its handshake.
    pub(in crate::server) fn answer(
        &self,
        request: ClientRequest,
        cx: RequestContext<RoleServer>,
    ) -> BoxFuture<'_, Result<ServerResult, ErrorData>> {
        match self {
            SharedService::Hooked(service) => service.answer(request, cx),
            #[cfg(feature = "testing")]
            SharedService::Any(service) => service.handle_request(request, cx),
        }
    }

    /// Returns the server as rmcp calls it.
    pub(in crate::server) fn as_rmcp(&self) -> &dyn DynService<RoleServer> {
        match self {
            SharedService::Hooked(service) => &**service,
            #[cfg(feature = "testing")]
            SharedService::Any(service) => &**service,
        }
    }
}

/// Runs the handshake of a server on a transport. The transport then knows the server before it reads the first message.
pub(in crate::server) fn serving<F: Future>(
    service: SharedService,
    pipeline: Option<Pipeline>,
    handshake: F,
) -> impl Future<Output = F::Output> {
    SERVED.scope((service, pipeline), handshake)
}

/// As [`serving`], for a server that may have no hooks.
#[cfg(feature = "testing")]
pub(crate) fn serving_any<F: Future>(
    service: SharedService,
    handshake: F,
) -> impl Future<Output = F::Output> {
    serving(service, None, handshake)
}

impl Service<RoleServer> for SharedService {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        self.as_rmcp().handle_request(request, context).await
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.as_rmcp()
            .handle_notification(notification, context)
            .await
    }

    fn get_info(&self) -> ServerConfig {
        self.as_rmcp().get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.as_rmcp().supported_protocol_versions()
    }
}
