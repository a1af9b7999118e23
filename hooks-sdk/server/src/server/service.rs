//! A hooked server as it is served, without the type of the author's server. It is compiled once.

use std::{
    borrow::Cow,
    error::Error as StdError,
    fmt,
    future::ready,
    sync::{Arc, OnceLock},
};

use futures::{
    FutureExt,
    future::{BoxFuture, Either},
};
use rmcp::{
    ErrorData, RoleServer, Service,
    model::{
        CallToolResponse, ClientCapabilities, ClientNotification, ClientRequest, CustomResult,
        Extensions, ProtocolVersion, ServerConfig, ServerResult, Tool,
    },
    service::{DynService, NotificationContext, RunningService, ServiceExt},
    transport::IntoTransport,
};
use serde_json::{Value, json};

use super::{
    McpContext, ServeError, building,
    collect::ServerHooks,
    connection::{Arrival, Connection},
    methods,
    pipeline::{
        Author, McpAnswer, McpRequest, McpResponse, MessageFilter, Parts, Pipeline, misplaced,
        without_other_output,
    },
    request::{is_http, is_stateless},
    settings::{ReplicaSettings, ServerSettings},
    transport::{
        boxed::BoxedTransport,
        read::{CLIENT_CAPABILITIES, PROTOCOL_VERSION},
    },
};
use hooks_core::BuildErrors;

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
                    error!(%problems, "the settings do not fit the server");
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
    pub(crate) fn as_shared(&self) -> SharedService {
        SharedService::Hooked(Arc::new(self.clone()))
    }

    /// Gives every protocol that has no store of its own the store and the keys that replicas share.
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
    pub(crate) fn shown_tool(&self, name: &str, wants: impl FnOnce(&Tool) -> bool) -> Option<Tool> {
        let pipeline = self.pipeline().ok()?;
        pipeline.shown(pipeline.tool(name).filter(wants)?)
    }

    /// Returns the members that MCPL wants from the params of a call.
    pub(crate) fn members_of_a_call(&self) -> &'static [&'static str] {
        (self.built()).map_or(&[], |pipeline| pipeline.parts.members_of_a_call)
    }

    /// Returns whether the server speaks MCPL.
    #[cfg(all(feature = "http", feature = "mcpl"))]
    pub(crate) fn speaks_mcpl(&self) -> bool {
        self.built()
            .is_ok_and(|pipeline| pipeline.parts.mcpl.is_some())
    }

    /// Returns the middleware that decides about whole messages.
    pub(crate) fn decider(&self) -> Option<MessageFilter> {
        self.built().ok()?.parts.messages.clone()
    }

    /// Answers a request of a connection that has had its handshake.
    ///
    /// rmcp answers most of them, by [`ServerHandler`](rmcp::ServerHandler). A call of a tool in a session of `initialize` needs none
    /// of its checks before, and two after.
    pub(super) fn answer(
        &self,
        request: ClientRequest,
        context: McpContext,
    ) -> impl Future<Output = Result<ServerResult, ErrorData>> + Send + '_ {
        let request = match request {
            ClientRequest::CallToolRequest(call) if is_of_session(&context) => call.params,
            other => {
                let answer: BoxFuture<'_, _> =
                    Box::pin(Service::handle_request(self, other, context));
                return Either::Left(answer);
            }
        };
        let peer = context.peer.clone();
        let answer = self.go(McpRequest::CallTool(request), context);
        Either::Right(answer.map(move |answer| match answer? {
            McpResponse::CallTool(CallToolResponse::Complete(result)) => {
                let mut result = ServerResult::CallToolResult(without_other_output(result));
                result.strip_result_type_for_legacy_peer();
                Ok(result)
            }
            McpResponse::CallTool(CallToolResponse::Task(created)) => {
                let client = peer.peer_info();
                if client.is_some_and(|client| client.capabilities.supports_tasks()) {
                    return Ok(CallToolResponse::Task(created).into());
                }
                let tasks = ClientCapabilities::builder().enable_tasks().build();
                Err(ErrorData::missing_required_client_capability(tasks))
            }
            McpResponse::CallTool(CallToolResponse::InputRequired(_)) => {
                let message =
                    "InputRequiredResult requires negotiated protocol version 2026-07-28 or newer";
                Err(ErrorData::invalid_request(message, None))
            }
            _ => Err(misplaced("tools/call")),
        }))
    }

    /// Passes a request through the middleware to the author's server, and back.
    pub(super) fn go(&self, asked: McpRequest, context: McpContext) -> BoxFuture<'_, McpAnswer> {
        let pipeline = match self.pipeline() {
            Ok(pipeline) => pipeline,
            Err(error) => return Box::pin(ready(Err(error))),
        };
        let connection = self.connection(&context.extensions, pipeline);
        // The peer of a probe before the handshake reaches nobody.
        if !matches!(asked, McpRequest::Discover()) {
            connection.speaks_with(&context.peer);
        }
        let McpRequest::Custom(request) = &asked else {
            return pipeline.run(asked, context, connection);
        };
        let stateless = is_stateless(&context);
        if let Some(error) = methods::wrong_shape(request, stateless) {
            return Box::pin(ready(Err(error)));
        }
        let answer = pipeline.run(asked, context, connection);
        Box::pin(async move {
            let mut answer = answer.await?;
            if let (true, McpResponse::Custom(CustomResult(Value::Object(members)))) =
                (stateless, &mut answer)
            {
                members
                    .entry("resultType")
                    .or_insert_with(|| json!("complete"));
            }
            Ok(answer)
        })
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
            None => {
                let own = self.connection.get_or_init(|| Connection::new(None));
                if is_http(extensions) {
                    own.over_http.set();
                }
                own.clone()
            }
        }
    }
}

/// Returns whether `initialize` began the session of a request, and the request names no revision and no capabilities.
fn is_of_session(context: &McpContext) -> bool {
    let own = [PROTOCOL_VERSION, CLIENT_CAPABILITIES];
    !own.iter().any(|name| context.meta.get(*name).is_some()) && context.peer.peer_info().is_some()
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
    pub(crate) fn answer(
        &self,
        request: ClientRequest,
        cx: McpContext,
    ) -> impl Future<Output = Result<ServerResult, ErrorData>> + Send + '_ {
        if let Some(refusal) = methods::without_row(&request) {
            return Either::Left(ready(Err(refusal)));
        }
        Either::Right(match self {
            SharedService::Hooked(service) => {
                Either::<_, BoxFuture<'_, _>>::Left(service.answer(request, cx))
            }
            SharedService::Any(service) => Either::Right(service.handle_request(request, cx)),
        })
    }

    /// Returns the pipeline of a hooked server.
    pub(crate) fn pipeline(&self) -> Option<&Pipeline> {
        match self {
            SharedService::Hooked(service) => service.built().ok(),
            SharedService::Any(_) => None,
        }
    }

    /// Returns the server as rmcp calls it.
    pub(crate) fn as_rmcp(&self) -> &dyn DynService<RoleServer> {
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
        context: McpContext,
    ) -> Result<ServerResult, ErrorData> {
        if let Some(refusal) = methods::without_row(&request) {
            return Err(refusal);
        }
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
