//! The peer of one call: what the author's server asks by it belongs to the call.
//!
//! rmcp names the request that asks in a task-local of its own, which only its own loop sets. Where the SDK runs the requests,
//! a call that needs its name has a peer of its own, with a loop of rmcp between that peer and the client's.

use std::{
    collections::{HashMap, VecDeque},
    io,
    sync::{Arc, Mutex},
};

use futures::future::{Either, select};
use rmcp::{
    ErrorData, Peer, RoleServer, Service,
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, GetExtensions, GetMeta,
        InitializeRequestParams, JsonRpcMessage, ProgressToken, RequestId, ServerConfig,
        ServerJsonRpcMessage, ServerNotification, ServerRequest, ServerResult,
    },
    service::{
        NotificationContext, OriginatingRequestId, PeerRequestOptions, RunningService,
        ServiceError, serve_directly,
    },
    transport::Transport,
};
use tokio::sync::{Mutex as AsyncMutex, mpsc};
use tokio_util::sync::CancellationToken;

use crate::server::{
    McpContext,
    connection::Connection,
    lock,
    request::is_stateless,
    service::SharedService,
    transport::{boxed::BoxedTransport, read::PROTOCOL_VERSION},
};

/// How many peers of calls that have ended still work, for each connection. A spawned task of an author may ask later.
const KEPT: usize = 16;

pub(in crate::server) type CallService = RunningService<RoleServer, NotificationListener>;
type ToServer = mpsc::UnboundedSender<ClientJsonRpcMessage>;

/// The peers of the calls of one connection.
#[derive(Default)]
pub(crate) struct CallPeers {
    ended: Mutex<EndedPeers>,
    /// The open questions, by the tokens under which the client reports progress about them.
    questions: Mutex<HashMap<ProgressToken, OpenQuestion>>,
}

#[derive(Default)]
struct EndedPeers {
    peers: VecDeque<CallService>,
    is_closed: bool,
}

struct OpenQuestion {
    /// The token that the author knows.
    own: ProgressToken,
    to_server: ToServer,
}

impl CallPeers {
    /// Ends the peers. The connection has ended.
    pub(crate) fn close(&self) {
        let mut ended = lock(&self.ended);
        ended.is_closed = true;
        let peers = std::mem::take(&mut ended.peers);
        drop(ended);
        drop(peers);
    }

    /// Takes progress about a question of a call. Returns the message if it is about none.
    pub(crate) fn progressed(
        &self,
        mut message: ClientJsonRpcMessage,
    ) -> Option<ClientJsonRpcMessage> {
        if let JsonRpcMessage::Notification(told) = &mut message
            && let ClientNotification::ProgressNotification(progress) = &mut told.notification
            && let questions = lock(&self.questions)
            && let Some(question) = questions.get(&progress.params.progress_token)
        {
            progress.params.progress_token = question.own.clone();
            // If nobody receives it, the call and its peer have ended.
            _ = question.to_server.send(message);
            return None;
        }
        Some(message)
    }
}

/// A call with a peer of its own. When it ends, the peer still works for a while.
pub(super) struct CallPeer {
    running: Option<CallService>,
    connection: Arc<Connection>,
}

impl CallPeer {
    /// Gives a request that reaches the author's server a peer of its own, if it needs one. Questions to the client belong to the
    /// request (`asks_there`): they stop its clock, or leave on the stream of its own request of HTTP.
    pub(super) fn given_to(
        cx: &mut McpContext,
        connection: &Arc<Connection>,
        asks_there: bool,
    ) -> Option<CallPeer> {
        let refuses = cx.meta.get(PROTOCOL_VERSION).is_some() && is_stateless(cx);
        if !refuses && !asks_there {
            return None;
        }
        let (service, peer) = connection.served()?;
        // A session that began without a handshake refuses questions by itself.
        let client = peer.peer_info()?;
        let can_answer = || {
            let able = &client.capabilities;
            able.elicitation.is_some() || able.sampling.is_some() || able.roots.is_some()
        };
        if !refuses && !can_answer() {
            return None;
        }
        let (to_server, told) = mpsc::unbounded_channel();
        let transport = CallTransport {
            questions: Questions {
                outer: peer.clone(),
                call: cx.id.clone(),
                refuses,
                to_server,
                connection: connection.clone(),
                asked: HashMap::new(),
                end: CancellationToken::new(),
            },
            told,
            lane: None,
        };
        let running = served_directly(service.clone(), None, transport, (*client).clone());
        cx.peer = running.peer().clone();
        Some(CallPeer {
            running: Some(running),
            connection: connection.clone(),
        })
    }
}

impl Drop for CallPeer {
    fn drop(&mut self) {
        let mut ended = lock(&self.connection.call_peers.ended);
        if ended.is_closed {
            return;
        }
        ended.peers.extend(self.running.take());
        let oldest = (ended.peers.len() > KEPT).then(|| ended.peers.pop_front());
        drop(ended);
        drop(oldest);
    }
}

/// Serves a transport without a handshake and without requests, for the sake of its peer. The server hears of notifications. The
/// first one cancels `handled` when it is handled.
pub(crate) fn served_directly(
    service: SharedService,
    handled: Option<CancellationToken>,
    transport: impl Transport<RoleServer> + 'static,
    client: InitializeRequestParams,
) -> CallService {
    let listener = NotificationListener { service, handled };
    serve_directly(listener, BoxedTransport::new(transport), Some(client))
}

/// A server that hears of notifications, and has no requests.
pub(crate) struct NotificationListener {
    service: SharedService,
    handled: Option<CancellationToken>,
}

impl Service<RoleServer> for NotificationListener {
    async fn handle_request(
        &self,
        _: ClientRequest,
        _: McpContext,
    ) -> Result<ServerResult, ErrorData> {
        Err(ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            "no request comes here",
            None,
        ))
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let _handled = self.handled.clone().map(CancellationToken::drop_guard);
        self.service
            .handle_notification(notification, context)
            .await
    }

    fn get_info(&self) -> ServerConfig {
        Service::get_info(&self.service)
    }
}

/// What carries the messages of a call's peer to the client's.
struct CallTransport {
    questions: Questions,
    told: mpsc::UnboundedReceiver<ClientJsonRpcMessage>,
    /// Sends what the author's server says, one message after the other. Most calls say nothing.
    lane: Option<Arc<AsyncMutex<Questions>>>,
}

#[derive(Clone)]
struct Questions {
    outer: Peer<RoleServer>,
    call: RequestId,
    /// Whether the call is of a revision in which a server asks nothing.
    refuses: bool,
    to_server: ToServer,
    connection: Arc<Connection>,
    /// The ids that the client knows, by those that the author knows.
    asked: HashMap<RequestId, RequestId>,
    end: CancellationToken,
}

impl Questions {
    async fn send(&mut self, message: ServerJsonRpcMessage) -> io::Result<()> {
        let sent = match message {
            JsonRpcMessage::Request(message) => self.ask(message.id, message.request).await,
            JsonRpcMessage::Notification(message) => {
                let mut notification = message.notification;
                if let ServerNotification::CancelledNotification(cancelled) = &mut notification
                    && let Some(id) = &mut cancelled.params.request_id
                    && let Some(known) = self.asked.remove(id)
                {
                    *id = known;
                }
                self.outer.send_notification(notification).await
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => Ok(()),
        };
        sent.map_err(io::Error::other)
    }

    async fn ask(
        &mut self,
        own: RequestId,
        mut request: ServerRequest,
    ) -> Result<(), ServiceError> {
        if self.refuses {
            let message = "server-to-client requests are not allowed on protocol 2026-07-28 or later; return \
                           InputRequiredResult instead";
            let error = ErrorData::invalid_request(message, None);
            _ = self.to_server.send(JsonRpcMessage::error(error, Some(own)));
            return Ok(());
        }
        let token = request.get_meta().get_progress_token();
        let origin = OriginatingRequestId(self.call.clone());
        request.extensions_mut().insert(origin);
        let options = PeerRequestOptions::no_options();
        let asked = self
            .outer
            .send_cancellable_request(request, options)
            .await?;
        self.asked.insert(own.clone(), asked.id.clone());
        let known = asked.progress_token.clone();
        if let Some(token) = token {
            let question = OpenQuestion {
                own: token,
                to_server: self.to_server.clone(),
            };
            lock(&self.connection.call_peers.questions).insert(known.clone(), question);
        }
        let (to_server, connection) = (self.to_server.clone(), self.connection.clone());
        let end = self.end.clone();
        tokio::spawn(async move {
            let answer = match asked.await_response().await {
                Ok(result) => JsonRpcMessage::response(result, own),
                Err(ServiceError::McpError(error)) => JsonRpcMessage::error(error, Some(own)),
                // The peer of the call ends with the client's, and tells it.
                Err(ServiceError::TransportClosed) => return end.cancel(),
                Err(error) => {
                    let error = ErrorData::internal_error(error.to_string(), None);
                    JsonRpcMessage::error(error, Some(own))
                }
            };
            lock(&connection.call_peers.questions).remove(&known);
            _ = to_server.send(answer);
        });
        Ok(())
    }
}

impl Transport<RoleServer> for CallTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let lane = || Arc::new(AsyncMutex::new(self.questions.clone()));
        let lane = self.lane.get_or_insert_with(lane).clone();
        async move { lane.lock().await.send(item).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let told = std::pin::pin!(self.told.recv());
        match select(told, std::pin::pin!(self.questions.end.cancelled())).await {
            Either::Left((message, _)) => message,
            Either::Right(_) => None,
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}
