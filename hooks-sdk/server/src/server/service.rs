//! A hooked server as it is served, without the type of the author's server. It is compiled once.

use std::{
    borrow::Cow,
    error::Error as StdError,
    fmt,
    sync::{Arc, OnceLock},
};

use futures::{
    FutureExt, TryFutureExt,
    future::{BoxFuture, Either},
};
use rmcp::{
    ErrorData, RoleServer, Service,
    model::{
        ClientNotification, ClientRequest, Extensions, ProtocolVersion, ServerConfig, ServerResult,
    },
    service::{
        DynService, NotificationContext, RequestContext, RunningService, RxJsonRpcMessage,
        ServiceExt, TxJsonRpcMessage,
    },
    transport::{IntoTransport, Transport},
};
use thiserror::Error;

use super::{
    ServeError, building,
    collect::ServerHooks,
    connection::{Arrival, Connection},
    pipeline::{Author, Parts, Pipeline},
    settings::ServerSettings,
};
#[cfg(feature = "http")]
use super::{pipeline::MessageFilter, settings::ReplicaSettings};
use hooks_core::BuildErrors;
#[cfg(feature = "http")]
use rmcp::model::Tool;

/// A [`Hooked`](super::Hooked) server without the type of the author's server: the service of
/// [`RunningService`] that [`Hooked::serve`](super::Hooked::serve) returns.
pub struct HookedService {
    pub(super) author: Arc<dyn Author>,
    pub(super) hooks: Arc<ServerHooks>,
    pub(super) settings: Arc<ServerSettings>,
    /// The pipeline of the server's requests, or the settings that do not fit the server. In the second case no request
    /// passes. It is built when it is first needed.
    pipeline: Arc<OnceLock<Result<Pipeline, BuildErrors>>>,
    /// The connection of requests that did not arrive by the wire shim. Each clone of the handle has its own.
    connection: OnceLock<Arc<Connection>>,
}

impl HookedService {
    pub(super) fn new(
        author: Arc<dyn Author>,
        hooks: Arc<ServerHooks>,
        settings: ServerSettings,
        parts: Arc<Parts>,
    ) -> HookedService {
        HookedService {
            pipeline: Arc::new(OnceLock::from(Ok(Pipeline::new(author.clone(), parts)))),
            author,
            hooks,
            settings: Arc::new(settings),
            connection: OnceLock::new(),
        }
    }

    pub(super) fn set(mut self, change: impl FnOnce(&mut ServerSettings)) -> HookedService {
        change(Arc::make_mut(&mut self.settings));
        self.pipeline = Arc::default();
        self.connection = OnceLock::new();
        self
    }

    fn built(&self) -> Result<&Pipeline, &BuildErrors> {
        let build = || {
            let parts = building::parts(&self.settings, &self.hooks, &*self.author);
            parts
                .map(|parts| Pipeline::new(self.author.clone(), parts))
                .inspect_err(|problems| {
                    tracing::error!(
                        target: "hooks_sdk::server",
                        %problems, "the settings do not fit the server"
                    );
                })
        };
        self.pipeline.get_or_init(build).as_ref()
    }

    pub(crate) fn check(&self) -> Result<(), BuildErrors> {
        self.built().map(|_| ()).map_err(Clone::clone)
    }

    pub(crate) async fn serve<T, E, A>(
        self,
        transport: T,
    ) -> Result<RunningService<RoleServer, HookedService>, ServeError>
    where
        T: IntoTransport<RoleServer, E, A>,
        E: StdError + Send + Sync + 'static,
    {
        self.serve_boxed(BoxedTransport::new(transport.into_transport()))
            .await
    }

    /// The future is boxed here, so that its code is in this crate.
    fn serve_boxed(
        self,
        transport: BoxedTransport,
    ) -> BoxFuture<'static, Result<RunningService<RoleServer, HookedService>, ServeError>> {
        Box::pin(async move {
            self.check()?;
            let service = SharedService::Hooked(Arc::new(self.clone()));
            serving(service, ServiceExt::serve(self, transport))
                .await
                .map_err(|error| Box::new(error).into())
        })
    }

    /// Returns the server as rmcp's loop and the transport of HTTP share it.
    #[cfg(feature = "http")]
    pub(crate) fn as_shared(&self) -> SharedService {
        SharedService::Hooked(Arc::new(self.clone()))
    }

    /// Gives every protocol that has no store of its own the store and the keys that replicas share.
    #[cfg(feature = "http")]
    pub(crate) fn sharing(self, shared: ReplicaSettings) -> HookedService {
        self.set(|settings| settings.shared = Some(shared))
    }

    /// Returns the pipeline of the server's requests.
    /// Returns an error if the settings do not fit the server.
    pub(super) fn pipeline(&self) -> Result<&Pipeline, ErrorData> {
        self.built().map_err(|problems| {
            let message = format!("the server was not built right: {problems}");
            ErrorData::internal_error(message, None)
        })
    }

    /// Returns a tool as shown without a client, if it is one of those that the caller wants.
    #[cfg(feature = "http")]
    pub(crate) fn shown_tool(&self, name: &str, wants: impl FnOnce(&Tool) -> bool) -> Option<Tool> {
        let pipeline = self.pipeline().ok()?;
        pipeline.shown(pipeline.tool(name).filter(wants)?)
    }

    /// Returns the members that MCPL wants from the params of a call.
    #[cfg(feature = "http")]
    pub(crate) fn members_of_a_call(&self) -> &'static [&'static str] {
        (self.built()).map_or(&[], |pipeline| pipeline.parts().members_of_a_call())
    }

    /// Returns whether the server speaks MCPL.
    #[cfg(all(feature = "http", feature = "mcpl"))]
    pub(crate) fn speaks_mcpl(&self) -> bool {
        let parts = self.built().map(Pipeline::parts);
        parts.is_ok_and(|parts| parts.mcpl.is_some())
    }

    /// Returns the middleware that decides about whole messages.
    #[cfg(feature = "http")]
    pub(crate) fn decider(&self) -> Option<MessageFilter> {
        self.built().ok()?.parts().messages.clone()
    }

    /// Returns the connection of a request: that of its stream or session, or the handle's own if the request arrived
    /// without a transport that keeps connections.
    pub(super) fn connection(
        &self,
        extensions: &Extensions,
        pipeline: &Pipeline,
    ) -> Arc<Connection> {
        match extensions.get::<Arrival>() {
            Some(arrival) => {
                arrival.connection.reaches(pipeline);
                arrival.connection.clone()
            }
            None => (self.connection.get_or_init(|| Connection::new(None))).clone(),
        }
    }
}

impl Clone for HookedService {
    fn clone(&self) -> HookedService {
        HookedService {
            author: self.author.clone(),
            hooks: self.hooks.clone(),
            settings: self.settings.clone(),
            pipeline: self.pipeline.clone(),
            connection: OnceLock::new(),
        }
    }
}

impl fmt::Debug for HookedService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookedService")
            .field("registry", &self.hooks.registry)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

tokio::task_local! {
    /// The server that is being served.
    pub(super) static SERVED: SharedService;
}

/// A server whose type is not known. What serves it is compiled once, and not for each author's type.
#[derive(Clone)]
pub(crate) enum SharedService {
    Hooked(Arc<HookedService>),
    /// A server that may have no hooks, or something around a hooked one.
    Any(Arc<dyn DynService<RoleServer>>),
}

impl SharedService {
    /// Answers a request. The connection has had its handshake.
    pub(in crate::server) fn answer(
        &self,
        request: ClientRequest,
        cx: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ServerResult, ErrorData>> + Send + '_ {
        match self {
            SharedService::Hooked(service) => {
                Either::<_, BoxFuture<'_, _>>::Left(service.answer(request, cx))
            }
            SharedService::Any(service) => Either::Right(service.handle_request(request, cx)),
        }
    }

    /// Returns the pipeline of a hooked server.
    pub(in crate::server) fn pipeline(&self) -> Option<&Pipeline> {
        match self {
            SharedService::Hooked(service) => service.built().ok(),
            SharedService::Any(_) => None,
        }
    }

    /// Returns the server as rmcp calls it.
    pub(in crate::server) fn as_rmcp(&self) -> &dyn DynService<RoleServer> {
        match self {
            SharedService::Hooked(service) => &**service,
            SharedService::Any(service) => &**service,
        }
    }
}

/// Runs the handshake of a server on a transport. The transport then knows the server before it reads the first message.
pub(crate) fn serving<F: Future>(
    service: SharedService,
    handshake: F,
) -> impl Future<Output = F::Output> {
    SERVED.scope(service, handshake)
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

/// A transport whose type is not known: rmcp's loop is then compiled once, and not in the crate of each author.
pub(super) struct BoxedTransport(Box<dyn DynTransport>);

/// The error of a transport whose type is not known.
#[derive(Debug, Error)]
#[error(transparent)]
pub(super) struct TransportError(Box<dyn StdError + Send + Sync>);

/// What rmcp's loop asks of a transport, without its type.
trait DynTransport: Send {
    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> BoxFuture<'static, Result<(), TransportError>>;

    fn receive(&mut self) -> BoxFuture<'_, Option<RxJsonRpcMessage<RoleServer>>>;

    fn close(&mut self) -> BoxFuture<'_, Result<(), TransportError>>;
}

impl<T: Transport<RoleServer>> DynTransport for T {
    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> BoxFuture<'static, Result<(), TransportError>> {
        Transport::send(self, item)
            .map_err(|error| TransportError(error.into()))
            .boxed()
    }

    fn receive(&mut self) -> BoxFuture<'_, Option<RxJsonRpcMessage<RoleServer>>> {
        Transport::receive(self).boxed()
    }

    fn close(&mut self) -> BoxFuture<'_, Result<(), TransportError>> {
        Transport::close(self)
            .map_err(|error| TransportError(error.into()))
            .boxed()
    }
}

impl BoxedTransport {
    pub(super) fn new(transport: impl Transport<RoleServer> + 'static) -> BoxedTransport {
        BoxedTransport(Box::new(transport))
    }
}

impl Transport<RoleServer> for BoxedTransport {
    type Error = TransportError;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), TransportError>> + Send + 'static {
        self.0.send(item)
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleServer>>> + Send {
        self.0.receive()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), TransportError>> + Send {
        self.0.close()
    }
}
