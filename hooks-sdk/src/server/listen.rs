//! `subscriptions/listen` for resources that list hooks renamed: the author's server listens in its own names.

use std::{borrow::Cow, future::ready, io, sync::Arc};

use futures::future::{BoxFuture, FutureExt};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CancelledNotification, CancelledNotificationParam, ClientNotification, ClientRequest,
        GetExtensions, JsonRpcMessage, ProtocolVersion, RequestMetaObject, ServerConfig,
        ServerNotification, SubscriptionFilter, SubscriptionsListenRequest,
        SubscriptionsListenRequestParams,
    },
    service::{
        RequestContext, RxJsonRpcMessage, SubscriptionContext, TxJsonRpcMessage, serve_directly,
    },
    transport::Transport,
};
use tokio::sync::oneshot;

use super::{
    connection::Connection,
    way::{NamedForClients, Way, failed},
};
use crate::core::dispatch::catch_panic;

/// Lets the author's server listen, if the stations let each resource pass.
///
/// # Errors
///
/// Returns the error of a station or of the author's server.
pub(super) async fn listen<H: ServerHandler>(
    server: &Arc<H>,
    info: ServerConfig,
    context: SubscriptionContext,
    way: &Way,
    connection: Arc<Connection>,
) -> Result<(), ErrorData> {
    let cx = context.request_context();
    let accepted = context.accepted();
    let uris = accepted.resource_subscriptions.clone().unwrap_or_default();
    let mut own = Vec::with_capacity(uris.len());
    for uri in &uris {
        let subscribing = way.subscribes(uri.clone(), cx.clone(), connection.clone());
        own.push(Box::pin(subscribing).await?);
    }
    if own == uris {
        return heard(server.listen(context)).await;
    }
    let mut filter = accepted.clone();
    filter.resource_subscriptions = Some(own);
    let (ended, end) = oneshot::channel();
    let transport = Renaming {
        request: Some(request(cx, filter)),
        outer: cx.clone(),
        is_cancelled: false,
        way: way.clone(),
        ended: Some(ended),
    };
    let inner = Inner {
        server: server.clone(),
        info,
    };
    let client = cx.peer.peer_info().map(|client| (*client).clone());
    let running = serve_directly(inner, transport, client);
    // Without an answer, the client has cancelled the request.
    let answer = end.await.unwrap_or(Ok(()));
    _ = running.cancel().await;
    answer
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
struct Inner<H> {
    server: Arc<H>,
    info: ServerConfig,
}

impl<H: ServerHandler> ServerHandler for Inner<H> {
    fn get_info(&self) -> ServerConfig {
        self.info.clone()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.server.supported_protocol_versions()
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.server.accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        heard(self.server.listen(context)).await
    }
}

/// A transport with one request. Its notifications go to the client, in the names that the client knows.
struct Renaming {
    request: Option<RxJsonRpcMessage<RoleServer>>,
    outer: RequestContext<RoleServer>,
    is_cancelled: bool,
    way: Way,
    ended: Option<oneshot::Sender<Result<(), ErrorData>>>,
}

impl Renaming {
    /// Returns the notification as the client may see it.
    fn renamed(&self, mut notification: ServerNotification) -> Option<ServerNotification> {
        match &mut notification {
            ServerNotification::ResourceUpdatedNotification(updated) => {
                updated.params.uri = self.way.shown_resource(&updated.params.uri)?;
            }
            // The client has one already, in its own names.
            ServerNotification::SubscriptionsAcknowledgedNotification(_) => return None,
            _ => {}
        }
        notification.extensions_mut().insert(NamedForClients);
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
