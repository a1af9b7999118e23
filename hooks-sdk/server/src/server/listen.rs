//! `subscriptions/listen`: the middleware let each resource pass, the client is told, and the author's server listens in its own
//! names.

use std::{borrow::Cow, future::ready, io, sync::Arc};

use futures::future::{BoxFuture, FutureExt};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CancelledNotification, CancelledNotificationParam, ClientNotification, ClientRequest,
        GetExtensions, GetMeta, InitializeRequestParams, JsonRpcMessage, ProtocolVersion,
        RequestMetaObject, ServerConfig, ServerNotification, SubscriptionFilter,
        SubscriptionsAcknowledgedNotification, SubscriptionsAcknowledgedNotificationParams,
        SubscriptionsListenRequest, SubscriptionsListenRequestParams,
    },
    service::{
        RequestContext, RunningService, RxJsonRpcMessage, SubscriptionContext, TxJsonRpcMessage,
        serve_directly,
    },
    transport::Transport,
};
use tokio::sync::oneshot;

use super::{
    AnyServer,
    connection::Connection,
    pipeline::{Author, Pipeline, failed},
    request::is_lifted,
    transport::marks::mark_named,
};
use hooks_core::internal::catch_panic;

/// Lets the author's server listen, if the middleware let each resource pass.
///
/// # Errors
///
/// Returns the error of a middleware or of the author's server.
pub(super) async fn listen(
    author: &Arc<dyn Author>,
    info: ServerConfig,
    context: SubscriptionContext,
    pipeline: &Pipeline,
    connection: Arc<Connection>,
) -> Result<(), ErrorData> {
    let cx = context.request_context();
    let accepted = context.accepted();
    let uris = accepted.resource_subscriptions.clone().unwrap_or_default();
    let mut own = Vec::with_capacity(uris.len());
    for uri in &uris {
        let subscribing = pipeline.subscribes(uri.clone(), cx.clone(), connection.clone());
        own.push(Box::pin(subscribing).await?);
    }
    if is_lifted(&cx.extensions) {
        acknowledge(cx, accepted.clone()).await?;
    }
    if own == uris {
        return heard(author.listens(context)).await;
    }
    let mut filter = accepted.clone();
    filter.resource_subscriptions = Some(own);
    let (ended, end) = oneshot::channel();
    let transport = Renaming {
        request: Some(request(cx, filter)),
        outer: cx.clone(),
        is_cancelled: false,
        is_by_door: is_lifted(&cx.extensions),
        pipeline: pipeline.clone(),
        ended: Some(ended),
    };
    let inner = ListeningServer {
        author: author.clone(),
        info,
    };
    let client = cx.peer.peer_info().map(|client| (*client).clone());
    let running = served(Box::new(inner), transport, client);
    // Without an answer, the client has cancelled the request.
    let answer = end.await.unwrap_or(Ok(()));
    _ = running.cancel().await;
    answer
}

fn served(
    inner: AnyServer,
    transport: Renaming,
    client: Option<InitializeRequestParams>,
) -> RunningService<RoleServer, AnyServer> {
    serve_directly(inner, transport, client)
}

/// Tells the client what it listens to. The transport has dropped rmcp's own acknowledgement, which came before the middleware had
/// decided.
async fn acknowledge(
    cx: &RequestContext<RoleServer>,
    accepted: SubscriptionFilter,
) -> Result<(), ErrorData> {
    let params = SubscriptionsAcknowledgedNotificationParams::new(accepted);
    let told = SubscriptionsAcknowledgedNotification::new(params);
    let mut told = ServerNotification::SubscriptionsAcknowledgedNotification(told);
    told.get_meta_mut().set_subscription_id(cx.id.clone());
    mark_named(&mut told);
    let sent = cx.peer.send_notification(told).await;
    sent.map_err(|error| {
        let message = format!("the subscription could not be acknowledged: {error}");
        ErrorData::internal_error(message, None)
    })
}

async fn heard(listening: impl Future<Output = Result<(), ErrorData>>) -> Result<(), ErrorData> {
    let listening = Box::pin(catch_panic(listening)).await;
    listening.unwrap_or_else(|failure| Err(failed("subscriptions/listen", &failure)))
}

/// Returns the client's request with the author's names.
fn request(
    cx: &RequestContext<RoleServer>,
    filter: SubscriptionFilter,
) -> RxJsonRpcMessage<RoleServer> {
    let params = SubscriptionsListenRequestParams::new(filter);
    let mut request =
        ClientRequest::SubscriptionsListenRequest(SubscriptionsListenRequest::new(params));
    let extensions = request.extensions_mut();
    *extensions = cx.extensions.clone();
    extensions.insert::<RequestMetaObject>(cx.meta.clone());
    JsonRpcMessage::request(request, cx.id.clone())
}

/// The author's server, for one subscription.
struct ListeningServer {
    author: Arc<dyn Author>,
    info: ServerConfig,
}

impl ServerHandler for ListeningServer {
    fn get_info(&self) -> ServerConfig {
        self.info.clone()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.author.versions()
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.author.accepts(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        heard(self.author.listens(context)).await
    }
}

/// A transport with one request. Its notifications go to the client, in the names that the client knows.
struct Renaming {
    request: Option<RxJsonRpcMessage<RoleServer>>,
    outer: RequestContext<RoleServer>,
    is_cancelled: bool,
    /// Whether a transport takes the marks off.
    is_by_door: bool,
    pipeline: Pipeline,
    ended: Option<oneshot::Sender<Result<(), ErrorData>>>,
}

impl Renaming {
    /// Returns the notification as the client may see it.
    fn renamed(&self, mut notification: ServerNotification) -> Option<ServerNotification> {
        match &mut notification {
            ServerNotification::ResourceUpdatedNotification(updated) => {
                updated.params.uri = self.pipeline.shown_resource(&updated.params.uri)?;
            }
            // The client has one already, in its own names.
            ServerNotification::SubscriptionsAcknowledgedNotification(_) => return None,
            _ => {}
        }
        if self.is_by_door {
            mark_named(&mut notification);
        }
        Some(notification)
    }
}

impl Transport<RoleServer> for Renaming {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let mut sending: BoxFuture<'static, _> = ready(Ok(())).boxed();
        match item {
            JsonRpcMessage::Notification(told) => {
                if let Some(notification) = self.renamed(told.notification) {
                    let peer = self.outer.peer.clone();
                    sending = async move {
                        let sent = peer.send_notification(notification).await;
                        sent.map_err(io::Error::other)
                    }
                    .boxed();
                }
            }
            JsonRpcMessage::Response(_) => self.end(Ok(())),
            JsonRpcMessage::Error(error) => self.end(Err(error.error)),
            JsonRpcMessage::Request(_) => {
                let message = "the server cannot ask the client in a subscription";
                let error = io::Error::new(io::ErrorKind::Unsupported, message);
                sending = ready(Err(error)).boxed();
            }
        }
        sending
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if let Some(request) = self.request.take() {
            return Some(request);
        }
        if self.is_cancelled {
            return std::future::pending().await;
        }
        self.outer.ct.cancelled().await;
        self.is_cancelled = true;
        let cancelled = CancelledNotificationParam::new(Some(self.outer.id.clone()), None);
        let cancelled =
            ClientNotification::CancelledNotification(CancelledNotification::new(cancelled));
        Some(JsonRpcMessage::notification(cancelled))
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        Ok(())
    }
}

impl Renaming {
    fn end(&mut self, answer: Result<(), ErrorData>) {
        if let Some(ended) = self.ended.take() {
            // If nobody waits any more, the client has cancelled the request.
            _ = ended.send(answer);
        }
    }
}
