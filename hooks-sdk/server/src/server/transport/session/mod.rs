//! A session of HTTP, or one request without a session.
//!
//! Its messages are read, run and answered as those of a stream of lines. What leaves goes to the stream of the request that it
//! belongs to, or else to the stream of the session.

mod events;
mod ids;
mod sending;
mod serving;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use bytes::Bytes;
use futures::future::BoxFuture;
use rmcp::{
    ErrorData, Peer, RoleServer,
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta, InitializeRequestParams,
        JsonRpcMessage, JsonRpcRequest, RequestId,
    },
};
use tokio::{sync::mpsc, time::Instant};
use tokio_util::sync::CancellationToken;

use self::{events::EventStream, ids::Ids, sending::Streams};
pub(crate) use self::{
    events::{Event, EventKind, EventReader},
    ids::ReplicaId,
    serving::{SessionPeer, SessionTransport},
};
pub(crate) use super::read::Read;
use super::{
    in_flight::{Bounds, InFlightMark, Load},
    message::{Malformed, answers, in_use},
    message_decisions::{MessageDirection, pending_messages::seen, sending::SendingOrder},
    read::{WantedMembers, read},
    run::work,
};
use crate::server::{HookedService, connection::Connection, lock, service::SharedService};
use hooks_core::internal::debugs;

tokio::task_local! {
    /// The request of a session that runs here. What the SDK itself asks meanwhile leaves on the stream of that request.
    pub(crate) static ORIGIN: RequestId;
}

/// How many messages of a client may wait for rmcp's loop.
const WAITING: usize = 16;

/// Why an answer or a report of a client is dropped.
const STRAY: &str = "they belong to no open request of their session";

/// A session of HTTP, or one request without a session.
pub(crate) struct Session {
    connection: Arc<Connection>,
    service: SharedService,
    load: Arc<Load>,
    /// The order of the messages about which a middleware decides.
    order: Option<SendingOrder>,
    /// Whether a middleware decides about whole messages.
    is_decided: bool,
    /// Whether it has more than one message.
    lasts: bool,
    /// In boxes, because a channel makes room for 32 messages at once.
    to_rmcp: mpsc::Sender<Box<ClientJsonRpcMessage>>,
    names: Mutex<Ids>,
    streams: Mutex<Streams>,
    /// What belongs to no request.
    common: Arc<EventStream>,
    end: CancellationToken,
    used: Mutex<Instant>,
}

/// A request that runs, and the stream of what it says.
pub(crate) struct Exchange {
    pub(crate) reader: EventReader,
    /// Runs the request. Its answer is the last event.
    pub(crate) work: BoxFuture<'static, ()>,
}

impl Session {
    /// Creates a session of this server, and the transport that rmcp's loop serves. `replica` names this process. `lasts` is
    /// whether it has more than one message.
    /// Returns an error if the settings do not fit the server.
    pub(crate) fn new(
        hooked: &HookedService,
        service: SharedService,
        replica: ReplicaId,
        lasts: bool,
        end: CancellationToken,
    ) -> Result<(Arc<Session>, SessionTransport), ErrorData> {
        let connection = Connection::new(None);
        connection.over_http.set();
        connection.reaches(hooked.pipeline()?);
        if lasts {
            connection.is_served_by(&service);
        }
        let (to_rmcp, told) = mpsc::channel(WAITING);
        let decider = connection.decider(MessageDirection::Client);
        let (order, refused) = decider.map(|_| SendingOrder::new()).unzip();
        let session = Arc::new(Session {
            connection,
            service,
            load: Arc::default(),
            order,
            is_decided: hooked.decider().is_some(),
            lasts,
            to_rmcp,
            names: Mutex::new(Ids::of(replica)),
            streams: Mutex::default(),
            common: EventStream::new(0),
            end,
            used: Mutex::new(Instant::now()),
        });
        let transport = SessionTransport::new(session.clone(), told, refused);
        Ok((session, transport))
    }

    /// Returns a number that no other session has, in this process or in another one.
    pub(crate) fn number(&self) -> u64 {
        self.connection.number as u64
    }

    /// Returns the client's handshake, once the session has answered a request.
    pub(crate) fn client(&self) -> Option<InitializeRequestParams> {
        let (_, peer) = self.connection.served()?;
        peer.peer_info().map(|client| (*client).clone())
    }

    /// Ends the session.
    pub(crate) fn end(&self) {
        self.end.cancel();
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.end.is_cancelled()
    }

    /// Returns when the last message came or was sent.
    pub(crate) fn last_used(&self) -> Instant {
        *lock(&self.used)
    }

    fn is_used(&self) {
        if self.lasts {
            *lock(&self.used) = Instant::now();
        }
    }

    /// Reads a message of the client, with the members of it that the middleware want. Returns `None` for a notification that
    /// MCP does not define.
    /// Returns the answer to a message that cannot be read.
    pub(crate) fn read(&self, text: &[u8]) -> Result<Option<Read>, Malformed> {
        self.connection
            .read(text, |id| lock(&self.names).is_open(id))
    }

    /// Lets the middleware take their part of a message. Returns `None` if nothing of it goes on.
    pub(crate) fn arrives(&self, mut read: Read) -> Option<ClientJsonRpcMessage> {
        self.is_used();
        let own = match answers(&read.message) {
            Some(id) => Some(self.answered(id)?),
            None => None,
        };
        if let JsonRpcMessage::Notification(told) = &mut read.message
            && let ClientNotification::ProgressNotification(progress) = &mut told.notification
        {
            let token = &mut progress.params.progress_token;
            let known = lock(&self.names).token(token);
            let Some(known) = known else {
                is_dropped("progress", STRAY);
                return None;
            };
            *token = known;
        }
        let mut message = self.connection.inbound(read)?;
        // The middleware know the server's requests by the ids that the client knows.
        match (&mut message, own) {
            (JsonRpcMessage::Response(response), Some(own)) => response.id = own,
            (JsonRpcMessage::Error(error), Some(own)) => error.id = Some(own),
            _ => {}
        }
        let message = self.marked(message);
        self.connection.call_peers.progressed(message)
    }

    /// Returns rmcp's id of the server's request that is answered.
    fn answered(&self, id: &RequestId) -> Option<RequestId> {
        let own = lock(&self.names).answered(id);
        match &own {
            Some(_) => self.connection.clocks.told(id),
            None => is_dropped("answer", STRAY),
        }
        own
    }

    /// Hands a notification or an answer to rmcp's loop.
    pub(crate) async fn tell(&self, message: ClientJsonRpcMessage) {
        if let JsonRpcMessage::Notification(told) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &told.notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.cancel(id);
        }
        // If nobody receives it, the session has ended.
        _ = self.to_rmcp.send(Box::new(message)).await;
    }

    /// Marks a message as one about which a middleware could decide.
    pub(crate) fn marked(&self, message: ClientJsonRpcMessage) -> ClientJsonRpcMessage {
        match self.is_decided {
            true => seen(message),
            false => message,
        }
    }

    /// Cancels a request. No answer to it is sent.
    pub(crate) fn cancel(&self, id: &RequestId) {
        if self.load.cancelled(id)
            && let Some(stream) = lock(&self.streams).forget(id)
        {
            stream.end();
        }
    }

    /// Takes a request with a text of `length` bytes. `alone` is the peer of a client that keeps no session.
    ///
    /// # Errors
    ///
    /// Returns an error if an earlier request with its id still runs.
    pub(crate) fn takes(
        self: &Arc<Session>,
        request: JsonRpcRequest<ClientRequest>,
        length: usize,
        alone: Option<SessionPeer>,
    ) -> Result<Exchange, ErrorData> {
        let (request, mark, reader) = self.admits(request, length)?;
        let work: BoxFuture<'static, ()> = match (alone, self.connection.served()) {
            (Some(alone), _) => {
                let work = self.runs(&self.service, alone.peer(), request, mark);
                let session = self.clone();
                Box::pin(async move {
                    work.await;
                    session.end();
                    drop(alone);
                })
            }
            (None, Some((service, peer))) => Box::pin(self.runs(service, peer, request, mark)),
            (None, None) => {
                // Its peer is known when a request has passed rmcp's loop.
                drop(mark);
                let session = self.clone();
                Box::pin(async move { session.tell(JsonRpcMessage::Request(request)).await })
            }
        };
        Ok(Exchange { reader, work })
    }

    /// Opens the stream of a request, and marks the request.
    fn admits(
        self: &Arc<Session>,
        mut request: JsonRpcRequest<ClientRequest>,
        length: usize,
    ) -> Result<(JsonRpcRequest<ClientRequest>, InFlightMark, EventReader), ErrorData> {
        let id = &request.id;
        let mut streams = lock(&self.streams);
        if self.load.is_in_use(id) {
            warn!(%id, "a request is refused: its id is in use");
            return Err(in_use());
        }
        let mark = self.load.run(Bounds::default(), &request, length);
        let stream = streams.open(id, request.request.get_meta().get_progress_token());
        drop(streams);
        (self.connection).marks(&mut request.request, mark.clone());
        Ok((request, mark, stream.read()))
    }

    fn runs(
        self: &Arc<Session>,
        service: &SharedService,
        peer: &Peer<RoleServer>,
        request: JsonRpcRequest<ClientRequest>,
        mark: InFlightMark,
    ) -> impl Future<Output = ()> + Send + 'static {
        let (session, id) = (self.clone(), request.id.clone());
        let send = move |answer| session.send(answer);
        let work = work(service, peer, &self.load, request, mark, send);
        ORIGIN.scope(id, work)
    }

    /// Ends what the session has.
    async fn close(&self) {
        self.end.cancel();
        self.load.cancel_all();
        self.connection.close();
        self.connection.finished().await;
        let mut streams = lock(&self.streams);
        streams
            .by_request
            .drain()
            .for_each(|(_, stream)| stream.end());
        drop(streams);
        self.common.end();
    }
}

/// Reads a message of a client that keeps no session, as [`Session::read`] does.
/// Returns the answer to a message that cannot be read.
pub(crate) fn read_alone(hooked: &HookedService, text: &[u8]) -> Result<Option<Read>, Malformed> {
    let wanted = WantedMembers {
        of_a_call: hooked.members_of_a_call(),
        whole_result: &|_| false,
    };
    read(text, &wanted)
}

/// Returns the answer to a message that cannot be read. `id_is_due` is whether every answer has an `id`, even `null`.
pub(crate) fn unreadable(malformed: Malformed, id_is_due: bool) -> Bytes {
    malformed.answer(id_is_due).into()
}

/// Counts a message that goes nowhere.
fn is_dropped(kind: &str, reason: &str) {
    static DROPPED: AtomicU64 = AtomicU64::new(0);
    let dropped = DROPPED.fetch_add(1, Ordering::Relaxed) + 1;
    // There can be any number of them, and the log must not grow as fast.
    if dropped.is_power_of_two() {
        tracing::warn!(
            target: "hooks_sdk::http",
            kind,
            dropped,
            "messages of sessions are dropped: {reason}"
        );
    }
}

debugs!(Session {});
