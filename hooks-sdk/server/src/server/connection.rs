//! One connection of a client: its number, the data that middleware want about its messages, and a slot for each middleware.

use std::{
    any::Any,
    ops::BitOr,
    sync::{
        Arc, LazyLock, OnceLock,
        atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering},
    },
};

use futures::{FutureExt, future::join_all};
use rmcp::{Peer, RoleServer, service::TxJsonRpcMessage};

#[cfg(feature = "aos")]
use super::pipeline::{MessageDirection, MessageFilter};
use super::{
    clocks::Clocks,
    methods,
    order::{CallOrder, Ticket},
    pipeline::{CallPeers, Cleaner, MessageMiddleware, MiddlewareId, Pipeline},
    progress::{Progresses, Reported},
    shared_service::{SERVED, SharedService},
    transport::marks,
};
use hooks_core::internal::debugs;

/// The data that middleware want about each message. The transport records nothing that no middleware wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) struct Interests(u8);

impl Interests {
    pub(in crate::server) const NOTHING: Interests = Interests(0);
    /// The order in which tool calls arrive.
    pub(in crate::server) const ORDER: Interests = Interests(1);
    /// Whether a call reports progress.
    pub(in crate::server) const PROGRESS: Interests = Interests(1 << 1);
    /// The connection of each request.
    pub(in crate::server) const CONNECTION: Interests = Interests(1 << 2);
    /// The connection of requests, if the client passes its session to the process that serves it.
    pub(in crate::server) const CLIENT_SESSION: Interests = Interests(1 << 3);
    /// The data kept for a call, when the client fetches the result of its task.
    pub(in crate::server) const TASKS: Interests = Interests(1 << 4);
    const ALL: Interests = Interests(u8::MAX);

    /// Returns whether `self` includes all of `wanted`.
    pub(in crate::server) fn has(self, wanted: Interests) -> bool {
        self.0 & wanted.0 == wanted.0
    }
}

impl BitOr for Interests {
    type Output = Interests;

    fn bitor(self, other: Interests) -> Interests {
        Interests(self.0 | other.0)
    }
}

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
pub(in crate::server) struct Connection {
    number: u128,
    client_session: Option<Box<str>>,
    /// `Interests::ALL` until the server is known.
    wants: AtomicU8,
    /// The middleware that want every message, once the server is known.
    listeners: OnceLock<InterestedMiddleware>,
    /// The server that answers the requests, if the SDK has run the handshake, and the client once it has one.
    service: OnceLock<SharedService>,
    peer: OnceLock<Peer<RoleServer>>,
    slots: [OnceLock<Box<dyn Any + Send + Sync>>; MiddlewareId::COUNT],
    pub(super) calls: CallOrder,
    progresses: Progresses,
    pub(super) call_peers: CallPeers,
    /// The calls that have a deadline.
    pub(super) clocks: Clocks,
    /// Whether the messages arrive over HTTP, where calls have a deadline unless the author sets none.
    over_http: Flag,
    /// The sender of every message of a WebSocket.
    #[cfg(feature = "http")]
    sender: OnceLock<crate::http::Principal>,
}

/// The middleware that want every message, and the members that they want from calls.
struct InterestedMiddleware {
    stack: Box<[Arc<dyn MessageMiddleware>]>,
    members_of_a_call: Box<[&'static str]>,
    #[cfg(feature = "aos")]
    decider: Option<MessageFilter>,
    cleaner: Option<Cleaner>,
    withholds_tasks: bool,
}

/// The mark on a request that arrived by the wire shim.
#[derive(Clone, Debug)]
pub(in crate::server) struct Arrival {
    pub(in crate::server) connection: Arc<Connection>,
    /// The position of a call among the connection's calls.
    pub(in crate::server) ticket: Option<Ticket>,
    /// Whether the call has reported progress.
    pub(in crate::server) reported: Option<Reported>,
}

impl Connection {
    pub(in crate::server) fn new(client_session: Option<Box<str>>) -> Arc<Connection> {
        Arc::new(Connection {
            number: next_number(),
            client_session,
            wants: AtomicU8::new(Interests::ALL.0),
            listeners: OnceLock::new(),
            service: OnceLock::new(),
            peer: OnceLock::new(),
            slots: Default::default(),
            calls: CallOrder::default(),
            progresses: Progresses::default(),
            call_peers: CallPeers::default(),
            clocks: Clocks::default(),
            over_http: Flag::default(),
            #[cfg(feature = "http")]
            sender: OnceLock::new(),
        })
    }

    /// Creates the connection of a session of HTTP.
    #[cfg(feature = "http")]
    pub(in crate::server) fn of_session() -> Arc<Connection> {
        let connection = Connection::new(None);
        connection.arrives_over_http();
        connection
    }

    /// Records that the messages of this connection arrive over HTTP.
    #[cfg(feature = "http")]
    pub(in crate::server) fn arrives_over_http(&self) {
        self.over_http.set();
    }

    /// Returns whether the messages of this connection arrive over HTTP: by a session, or by a WebSocket.
    pub(in crate::server) fn is_over_http(&self) -> bool {
        self.over_http.is_set()
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

    /// Returns the data that the middleware at `place` keeps for this connection.
    ///
    /// # Panics
    ///
    /// Panics if the middleware asks for another type than before.
    pub(in crate::server) fn slot<T: Default + Send + Sync + 'static>(
        &self,
        place: MiddlewareId,
    ) -> &T {
        let slot = self.slots[place as usize].get_or_init(|| Box::new(T::default()));
        slot.downcast_ref()
            .expect("a middleware has one type of slot")
    }

    /// Sets the server that this connection reaches. This decides which data the transport records.
    pub(in crate::server) fn reaches(&self, pipeline: &Pipeline) {
        let mut wants = pipeline.interests();
        if self.is_over_http() {
            // The connection stops the clocks of its calls.
            wants = wants | Interests::CONNECTION;
        }
        self.wants.store(wants.0, Ordering::Relaxed);
        self.is_heard_by(pipeline);
    }

    fn is_heard_by(&self, pipeline: &Pipeline) {
        self.listeners.get_or_init(|| {
            let stack: Box<[_]> = pipeline.stack().listeners().into();
            let members = stack.iter().flat_map(|each| each.members_of_a_call());
            InterestedMiddleware {
                members_of_a_call: members.copied().collect(),
                #[cfg(feature = "aos")]
                decider: pipeline.stack().decider().cloned(),
                cleaner: pipeline.stack().cleaner().cloned(),
                withholds_tasks: pipeline.judges_tasks(),
                stack,
            }
        });
    }

    /// Lets the middleware of the server hear the first message already, if the caller runs inside of [`serving`]. The transport
    /// still records all data about it, because a handshake needs them.
    pub(in crate::server) fn hears_first(&self) {
        if self.listeners.get().is_none() {
            // Without it, the first request of the connection sets the server.
            _ = SERVED.try_with(|(service, pipeline)| {
                if let Some(pipeline) = pipeline {
                    self.is_heard_by(pipeline);
                }
                self.service.get_or_init(|| service.clone());
            });
        }
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
    #[cfg(feature = "aos")]
    pub(in crate::server) fn decider(&self, toward: MessageDirection) -> Option<&MessageFilter> {
        let decider = self.listeners.get()?.decider.as_ref()?;
        decider.decides(toward).then_some(decider)
    }

    /// Returns the middleware that cleans what belongs to no item.
    pub(in crate::server) fn cleaner(&self) -> Option<&Cleaner> {
        self.listeners.get()?.cleaner.as_ref()
    }

    /// Returns whether a notification about a task leaves without the contents of the task.
    pub(in crate::server) fn withholds_tasks(&self) -> bool {
        // A server whose middleware judge contents is known from its first request on.
        let listeners = self.listeners.get();
        listeners.is_some_and(|listeners| listeners.withholds_tasks)
    }

    /// Returns the middleware that want every message.
    pub(in crate::server) fn listeners(&self) -> &[Arc<dyn MessageMiddleware>] {
        self.listeners
            .get()
            .map_or(&[], |listeners| &listeners.stack)
    }

    /// Returns whether a message may be sent: its method has a row, no middleware withholds it, and it acknowledges no
    /// subscription that the middleware have not let pass.
    pub(in crate::server) fn may_leave(&self, message: &TxJsonRpcMessage<RoleServer>) -> bool {
        let mut stack = self.listeners().iter();
        methods::may_leave(message)
            && !marks::is_early(message)
            && !stack.any(|middleware| middleware.withholds(message))
    }

    /// Returns the members that these middleware want from the params of a call.
    pub(in crate::server) fn members_of_a_call(&self) -> &[&'static str] {
        let listeners = self.listeners.get();
        listeners.map_or(&[], |listeners| &listeners.members_of_a_call)
    }

    /// Returns the mark for a request that arrives now, or `None` if no middleware wants it.
    ///
    /// For a call, pass its `tool`, and a function that returns the token under which the call may report progress.
    pub(in crate::server) fn arrival(
        self: &Arc<Connection>,
        tool: Option<&str>,
        token: impl FnOnce() -> Option<rmcp::model::ProgressToken>,
    ) -> Option<Arrival> {
        let wants = Interests(self.wants.load(Ordering::Relaxed));
        let by_session = wants.has(Interests::CLIENT_SESSION) && self.client_session.is_some();
        if !wants.has(Interests::CONNECTION) && !by_session {
            return None;
        }
        let ticket = tool.filter(|_| wants.has(Interests::ORDER));
        let token = tool
            .filter(|_| wants.has(Interests::PROGRESS))
            .and_then(|_| token());
        Some(Arrival {
            connection: self.clone(),
            ticket: ticket.map(|tool| Ticket::new(self, tool)),
            reported: token.map(|token| self.progresses.watch(token)),
        })
    }

    /// Returns the mark for a request that is no call, whether or not a middleware wants it.
    pub(in crate::server) fn bare_arrival(self: &Arc<Connection>) -> Arrival {
        Arrival {
            connection: self.clone(),
            ticket: None,
            reported: None,
        }
    }

    /// Records that a call reports progress under `token`.
    pub(in crate::server) fn progressed(&self, token: &rmcp::model::ProgressToken) {
        self.progresses.report(token);
    }

    /// Lets the middleware end what they keep for this connection.
    pub(in crate::server) fn close(&self) {
        self.call_peers.close();
        for middleware in self.listeners() {
            middleware.closed(self);
        }
    }

    /// Waits, after [`close`](Connection::close), until the middleware have done what the client sent before.
    pub(in crate::server) fn finished(&self) -> impl Future<Output = ()> + Send + 'static {
        let listeners = self.listeners().iter();
        let unfinished: Vec<_> = listeners.filter_map(|each| each.finished(self)).collect();
        join_all(unfinished).map(drop)
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

    /// Clears the flag. Returns whether it was set.
    pub(in crate::server) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}
