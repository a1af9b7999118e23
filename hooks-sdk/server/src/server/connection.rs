//! One connection of a client: its number, and what the middleware keep for it.

use std::sync::{
    Arc, LazyLock, OnceLock,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use futures::{FutureExt, future::OptionFuture};
use rmcp::{
    Peer, RoleServer,
    model::{ClientJsonRpcMessage, ClientRequest, GetExtensions, JsonRpcMessage, RequestId},
};

#[cfg(feature = "guardian-local")]
use super::middleware::aos::ConnectionTexts;
#[cfg(feature = "mcpl")]
use super::middleware::mcpl::{self, HostConnection};
use super::{
    clocks::WatchedCalls,
    methods,
    middleware::{guidance::ConnectionGuidance, session::EndWithConnection},
    order::{CallOrder, Ticket},
    pipeline::{CallPeers, MessageFilter, Parts, Pipeline},
    random,
    service::{SERVED, SharedService},
    transport::{in_flight::InFlightMark, message_decisions::MessageDirection, read::Read},
};

/// Returns a number that no other connection has, in this process or in another one.
fn next_number() -> u128 {
    static FIRST: LazyLock<u128> = LazyLock::new(|| u128::from_be_bytes(random()));
    static NEXT: AtomicU64 = AtomicU64::new(0);
    FIRST.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed).into())
}

/// One connection of a client.
#[derive(Default)]
pub(crate) struct Connection {
    /// The number that identifies this connection.
    pub(crate) number: u128,
    client_session: Option<Box<str>>,
    /// The middleware of the server, once it is known.
    parts: OnceLock<Arc<Parts>>,
    /// The server that answers the requests, if the SDK has run the handshake, and the client once it has one.
    service: OnceLock<SharedService>,
    peer: OnceLock<Peer<RoleServer>>,
    /// The sessions that end with the connection.
    pub(super) sessions: EndWithConnection,
    pub(super) guidance: ConnectionGuidance,
    /// Whether the client hears of changed lists.
    #[cfg(feature = "policy-engine")]
    pub(super) hears_of_lists: Flag,
    #[cfg(feature = "guardian-local")]
    pub(super) guarded: OnceLock<Box<ConnectionTexts>>,
    #[cfg(feature = "mcpl")]
    pub(super) host: HostConnection,
    pub(super) calls: CallOrder,
    pub(super) call_peers: CallPeers,
    /// The calls that are watched.
    pub(super) clocks: WatchedCalls,
    /// Whether the messages arrive over HTTP, by a session or by a WebSocket, where calls have a deadline unless the author sets none.
    pub(super) over_http: Flag,
    /// The sender of every message of a WebSocket.
    #[cfg(feature = "http")]
    sender: OnceLock<crate::http::Principal>,
}

/// The mark on a request that arrived by the wire shim.
#[derive(Clone)]
pub(crate) struct Arrival {
    pub(crate) connection: Arc<Connection>,
    /// The request runs as long as this lives.
    pub(crate) running: InFlightMark,
    /// The position of a call among the connection's calls.
    pub(crate) ticket: Option<Arc<Ticket>>,
}

impl Connection {
    pub(crate) fn new(client_session: Option<Box<str>>) -> Arc<Connection> {
        Arc::new(Connection {
            number: next_number(),
            client_session,
            ..Connection::default()
        })
    }

    /// Sets who sends every message of this connection.
    #[cfg(all(feature = "http", feature = "mcpl"))]
    pub(crate) fn is_sent_by(&self, sender: crate::http::Principal) {
        _ = self.sender.set(sender);
    }

    /// Returns who sends every message of this connection.
    #[cfg(feature = "http")]
    pub(crate) fn sender(&self) -> Option<&crate::http::Principal> {
        self.sender.get()
    }

    /// Returns the client's own id of the one session that this connection serves.
    pub(crate) fn client_session(&self) -> Option<&str> {
        self.client_session.as_deref()
    }

    /// Sets the server that this connection reaches. This decides which data the transport records.
    pub(crate) fn reaches(&self, pipeline: &Pipeline) {
        self.parts.get_or_init(|| pipeline.parts.clone());
    }

    /// Lets the middleware of the server hear the first message already, if the caller runs inside of [`serving`].
    pub(crate) fn hears_first(&self) {
        if self.parts.get().is_none() {
            // Without it, the first request of the connection sets the server.
            _ = SERVED.try_with(|service| {
                if let Some(pipeline) = service.pipeline() {
                    self.reaches(pipeline);
                }
                self.service.get_or_init(|| service.clone());
            });
        }
    }

    /// Sets the server that answers the requests of this connection, before its first message.
    pub(crate) fn is_served_by(&self, service: &SharedService) {
        self.service.get_or_init(|| service.clone());
    }

    /// Records the client, once a request of it has passed the handshake.
    pub(crate) fn speaks_with(&self, peer: &Peer<RoleServer>) {
        if self.service.get().is_some() && self.peer.get().is_none() {
            _ = self.peer.set(peer.clone());
        }
    }

    /// Returns the server and the client, if the SDK itself answers the requests of this connection.
    pub(crate) fn served(&self) -> Option<(&SharedService, &Peer<RoleServer>)> {
        self.service.get().zip(self.peer.get())
    }

    /// Returns the middleware of the server, once it is known. A server whose middleware judge contents is known from its first
    /// request on.
    pub(crate) fn parts(&self) -> Option<&Parts> {
        self.parts.get().map(|parts| &**parts)
    }

    /// Returns the middleware that decides about messages to this side.
    pub(crate) fn decider(&self, toward: MessageDirection) -> Option<&MessageFilter> {
        self.filter().filter(|filter| filter.decides(toward))
    }

    /// Returns the middleware that decides about messages to whatever side.
    pub(crate) fn filter(&self) -> Option<&MessageFilter> {
        self.parts()?.messages.as_ref()
    }

    /// Returns MCPL's part of the connection, if the server speaks MCPL.
    #[cfg(feature = "mcpl")]
    pub(crate) fn mcpl(&self) -> Option<&HostConnection> {
        self.parts()?.mcpl.as_ref()?;
        Some(&self.host)
    }

    /// Returns the members that MCPL wants from the params of a call.
    pub(crate) fn members_of_a_call(&self) -> &'static [&'static str] {
        self.parts().map_or(&[], |parts| parts.members_of_a_call)
    }

    /// Takes a message that was read. Lets MCPL take its part of it, in the order of the stream. Returns `None` if nothing remains
    /// of it.
    pub(crate) fn inbound(self: &Arc<Connection>, read: Read) -> Option<ClientJsonRpcMessage> {
        let message = read.message;
        if let JsonRpcMessage::Notification(told) = &message
            && !methods::may_arrive(&told.notification)
        {
            return None;
        }
        #[cfg(feature = "mcpl")]
        if self.mcpl().is_some() {
            return mcpl::inbound(message, &read.members, self);
        }
        Some(message)
    }

    /// Returns whether the server's own request with this id belongs to MCPL. MCPL then reads the answer as it arrived, and
    /// settles the request when the connection ends.
    pub(crate) fn settles(&self, request: &RequestId) -> bool {
        #[cfg(feature = "mcpl")]
        return self.mcpl().is_some_and(|host| host.is_outstanding(request));
        #[cfg(not(feature = "mcpl"))]
        false
    }

    /// Marks a request that arrives now. Before the server is known, all data about a call are recorded.
    pub(crate) fn marks(
        self: &Arc<Connection>,
        request: &mut ClientRequest,
        running: InFlightMark,
    ) {
        let mut arrival = Arrival {
            connection: self.clone(),
            running,
            ticket: None,
        };
        if let ClientRequest::CallToolRequest(call) = &*request
            && self.parts().is_none_or(|parts| parts.gate.is_some())
        {
            arrival.ticket = Some(Ticket::new(self, &call.params.name));
        }
        request.extensions_mut().insert(arrival);
        #[cfg(feature = "http")]
        if let Some(sender) = self.sender() {
            request.extensions_mut().insert(sender.clone());
        }
    }

    /// Lets MCPL end what it keeps for this connection.
    pub(crate) fn close(&self) {
        self.call_peers.close();
        #[cfg(feature = "mcpl")]
        if let Some(host) = self.mcpl() {
            host.close();
        }
    }

    /// Completes, after [`close`](Connection::close) and in bounded time, when MCPL's hooks have seen what the client sent before.
    pub(crate) fn finished(&self) -> impl Future<Output = ()> + Send + 'static {
        #[cfg(feature = "mcpl")]
        let unfinished = self.mcpl().and_then(HostConnection::finished);
        #[cfg(not(feature = "mcpl"))]
        let unfinished: Option<std::future::Ready<()>> = None;
        OptionFuture::from(unfinished).map(drop)
    }
}

/// A flag that different threads may set and read.
#[derive(Debug, Default)]
pub(crate) struct Flag(AtomicBool);

impl Flag {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets the flag. Returns whether it was set.
    pub(crate) fn swap(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    /// Clears the flag. Returns whether it was set.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}
