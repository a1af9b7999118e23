//! One connection of a client: its number, and what the middleware keep for it.

use std::sync::{
    Arc, LazyLock, OnceLock,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use futures::{FutureExt, future::OptionFuture};
use rmcp::{
    Peer, RoleServer,
    model::{ClientRequest, GetExtensions, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
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
    pipeline::{CallPeers, Cleaner, MessageFilter, Parts, Pipeline},
    service::{SERVED, SharedService},
    transport::{in_flight::InFlightMark, marks, message_decisions::MessageDirection, read::Read},
};
use hooks_core::internal::debugs;

/// Returns a number that no other connection has, in this process or in another one.
fn next_number() -> u128 {
    static FIRST: LazyLock<u128> = LazyLock::new(|| {
        let mut number = [0; 16];
        // If the operating system has no random bytes, the standard library's hash maps panic, too.
        getrandom::fill(&mut number).expect("random bytes from the operating system");
        u128::from_be_bytes(number)
    });
    static NEXT: AtomicU64 = AtomicU64::new(0);
    FIRST.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed).into())
}

/// One connection of a client.
#[derive(Default)]
pub(in crate::server) struct Connection {
    number: u128,
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
pub(in crate::server) struct Arrival {
    pub(in crate::server) connection: Arc<Connection>,
    /// The request runs as long as this lives.
    pub(in crate::server) running: InFlightMark,
    /// The position of a call among the connection's calls.
    pub(in crate::server) ticket: Option<Ticket>,
}

impl Connection {
    pub(in crate::server) fn new(client_session: Option<Box<str>>) -> Arc<Connection> {
        Arc::new(Connection {
            number: next_number(),
            client_session,
            ..Connection::default()
        })
    }

    /// Creates the connection of a session of HTTP, or of one request without a session.
    #[cfg(feature = "http")]
    pub(in crate::server) fn of_session(pipeline: &Pipeline) -> Arc<Connection> {
        let connection = Connection::new(None);
        connection.over_http.set();
        connection.reaches(pipeline);
        connection
    }

    /// Sets who sends every message of this connection.
    #[cfg(all(feature = "http", feature = "mcpl"))]
    pub(in crate::server) fn is_sent_by(&self, sender: crate::http::Principal) {
        _ = self.sender.set(sender);
    }

    /// Returns who sends every message of this connection.
    #[cfg(feature = "http")]
    pub(in crate::server) fn sender(&self) -> Option<&crate::http::Principal> {
        self.sender.get()
    }

    /// Returns the client's own id of the one session that this connection serves.
    pub(in crate::server) fn client_session(&self) -> Option<&str> {
        self.client_session.as_deref()
    }

    /// Returns the number that identifies this connection.
    pub(in crate::server) fn number(&self) -> u128 {
        self.number
    }

    /// Sets the server that this connection reaches. This decides which data the transport records.
    pub(in crate::server) fn reaches(&self, pipeline: &Pipeline) {
        self.parts.get_or_init(|| pipeline.parts().clone());
    }

    /// Lets the middleware of the server hear the first message already, if the caller runs inside of [`serving`].
    pub(in crate::server) fn hears_first(&self) {
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
    #[cfg(feature = "http")]
    pub(in crate::server) fn is_served_by(&self, service: &SharedService) {
        self.service.get_or_init(|| service.clone());
    }

    /// Records the client, once a request of it has passed the handshake.
    pub(in crate::server) fn speaks_with(&self, peer: &Peer<RoleServer>) {
        if self.service.get().is_some() && self.peer.get().is_none() {
            _ = self.peer.set(peer.clone());
        }
    }

    /// Returns the server and the client, if the SDK itself answers the requests of this connection.
    pub(in crate::server) fn served(&self) -> Option<(&SharedService, &Peer<RoleServer>)> {
        self.service.get().zip(self.peer.get())
    }

    /// Returns the middleware that decides about messages to this side.
    pub(in crate::server) fn decider(&self, toward: MessageDirection) -> Option<&MessageFilter> {
        self.filter().filter(|filter| filter.decides(toward))
    }

    /// Returns the middleware that decides about messages to whatever side.
    pub(in crate::server) fn filter(&self) -> Option<&MessageFilter> {
        self.parts.get()?.messages.as_ref()
    }

    /// Returns the middleware that cleans what belongs to no item.
    pub(in crate::server) fn cleaner(&self) -> Option<&Cleaner> {
        self.parts.get()?.cleaner.as_ref()
    }

    /// Returns whether a notification about a task leaves without the contents of the task.
    pub(in crate::server) fn withholds_tasks(&self) -> bool {
        // A server whose middleware judge contents is known from its first request on.
        self.parts.get().is_some_and(|parts| parts.judges_tasks)
    }

    /// Returns whether a message may be sent: its method has a row, no middleware withholds it, and it acknowledges no
    /// subscription that the middleware have not let pass.
    pub(in crate::server) fn may_leave(&self, message: &TxJsonRpcMessage<RoleServer>) -> bool {
        let withholds = |parts: &Arc<Parts>| parts.withholds(message);
        methods::may_leave(message)
            && !marks::is_early(message)
            && !self.parts.get().is_some_and(withholds)
    }

    /// Returns MCPL's part of the connection, if the server speaks MCPL.
    #[cfg(feature = "mcpl")]
    fn mcpl(&self) -> Option<&HostConnection> {
        self.parts.get()?.mcpl.as_ref()?;
        Some(&self.host)
    }

    /// Returns the members that MCPL wants from the params of a call.
    pub(in crate::server) fn members_of_a_call(&self) -> &'static [&'static str] {
        (self.parts.get()).map_or(&[], |parts| parts.members_of_a_call())
    }

    /// Takes a message that was read. Lets MCPL take its part of it, in the order of the stream. Returns `None` if nothing remains
    /// of it.
    pub(in crate::server) fn inbound(
        self: &Arc<Connection>,
        read: Read,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = methods::known(read.message)?;
        #[cfg(feature = "mcpl")]
        if self.mcpl().is_some() {
            return mcpl::inbound(message, &read.members, self);
        }
        Some(message)
    }

    /// Lets MCPL correct a message before it is sent. Returns the work to do when it is sent.
    #[cfg(feature = "mcpl")]
    pub(in crate::server) fn outbound(
        &self,
        message: &mut TxJsonRpcMessage<RoleServer>,
    ) -> Option<mcpl::AnswerLeaves> {
        mcpl::outbound(message, self.mcpl()?)
    }

    /// Returns whether the server's own request with this id belongs to MCPL. MCPL then reads the answer as it arrived, and
    /// settles the request when the connection ends.
    pub(in crate::server) fn settles(&self, request: &RequestId) -> bool {
        #[cfg(feature = "mcpl")]
        return self.mcpl().is_some_and(|host| host.is_outstanding(request));
        #[cfg(not(feature = "mcpl"))]
        false
    }

    /// Marks a request that arrives now. Before the server is known, all data about a call are recorded.
    pub(in crate::server) fn marks(
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
            && self.parts.get().is_none_or(|parts| parts.gate.is_some())
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
    pub(in crate::server) fn close(&self) {
        self.call_peers.close();
        #[cfg(feature = "mcpl")]
        if let Some(host) = self.mcpl() {
            host.close();
        }
    }

    /// Completes, after [`close`](Connection::close) and in bounded time, when MCPL's hooks have seen what the client sent before.
    pub(in crate::server) fn finished(&self) -> impl Future<Output = ()> + Send + 'static {
        #[cfg(feature = "mcpl")]
        let unfinished = self.mcpl().and_then(HostConnection::finished);
        #[cfg(not(feature = "mcpl"))]
        let unfinished: Option<std::future::Ready<()>> = None;
        OptionFuture::from(unfinished).map(drop)
    }
}

debugs!(Connection { calls });

/// A flag that different threads may set and read.
#[derive(Debug, Default)]
pub(in crate::server) struct Flag(AtomicBool);

impl Flag {
    pub(in crate::server) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(in crate::server) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets the flag. Returns whether it was set.
    pub(in crate::server) fn swap(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    /// Clears the flag. Returns whether it was set.
    pub(in crate::server) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}
