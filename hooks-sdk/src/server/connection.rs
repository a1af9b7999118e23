//! One connection of a client: its number, the data that stations want about its messages, and a slot for each station.

use std::{
    any::Any,
    fmt,
    ops::BitOr,
    sync::{
        Arc, LazyLock, OnceLock,
        atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering},
    },
};

use rmcp::{RoleServer, service::TxJsonRpcMessage};

use super::{
    clocks::Clocks,
    methods,
    order::{Calls, Ticket},
    progress::{Progresses, Reported},
    way::{Decider, Place, Station, Toward, Way},
};

/// The data that stations want about each message. The door records nothing that no station wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) struct Wants(u8);

impl Wants {
    pub(in crate::server) const NOTHING: Wants = Wants(0);
    /// The order in which tool calls arrive.
    pub(in crate::server) const ORDER: Wants = Wants(1);
    /// Whether a call reports progress.
    pub(in crate::server) const PROGRESS: Wants = Wants(1 << 1);
    /// The connection of each request.
    pub(in crate::server) const CONNECTION: Wants = Wants(1 << 2);
    /// The connection of requests, if the client passes its session to the process that serves it.
    pub(in crate::server) const CLIENT_SESSION: Wants = Wants(1 << 3);
    /// Every message, as it arrives and as it is sent.
    pub(in crate::server) const MESSAGES: Wants = Wants(1 << 4);
    /// The data kept for a call, when the client fetches the result of its task.
    pub(in crate::server) const TASKS: Wants = Wants(1 << 5);
    const ALL: Wants = Wants(u8::MAX);

    /// Returns whether `self` includes all of `wanted`.
    pub(in crate::server) fn has(self, wanted: Wants) -> bool {
        self.0 & wanted.0 == wanted.0
    }
}

impl BitOr for Wants {
    type Output = Wants;

    fn bitor(self, other: Wants) -> Wants {
        Wants(self.0 | other.0)
    }
}

tokio::task_local! {
    /// The way of the server that is being served.
    static SERVED: Way;
}

/// Runs the handshake of a server on a transport. The transport then knows the server before it reads the first message.
pub(in crate::server) fn serving<F: Future>(
    way: Way,
    handshake: F,
) -> impl Future<Output = F::Output> {
    SERVED.scope(way, handshake)
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
    /// `Wants::ALL` until the server is known.
    wants: AtomicU8,
    /// The stations that want every message, once the server is known.
    listeners: OnceLock<Listeners>,
    slots: [OnceLock<Box<dyn Any + Send + Sync>>; Place::COUNT],
    pub(super) calls: Calls,
    progresses: Progresses,
    /// The calls that have a deadline.
    pub(super) clocks: Clocks,
    /// What the door records even if no station wants it.
    least: Wants,
    /// The sender of every message of a WebSocket.
    #[cfg(feature = "http")]
    sender: OnceLock<crate::http::Principal>,
}

/// The stations that want every message, and the members that they want from calls.
struct Listeners {
    stations: Box<[Arc<dyn Station>]>,
    members_of_a_call: Box<[&'static str]>,
    decider: Option<Decider>,
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
        Connection::with(client_session, Wants::NOTHING)
    }

    /// Creates the connection of a session of HTTP, where calls have a deadline unless the author sets none.
    #[cfg(feature = "http")]
    pub(in crate::server) fn of_session() -> Arc<Connection> {
        Connection::with(None, Wants::CONNECTION)
    }

    fn with(client_session: Option<Box<str>>, least: Wants) -> Arc<Connection> {
        Arc::new(Connection {
            number: next_number(),
            client_session,
            wants: AtomicU8::new(Wants::ALL.0),
            listeners: OnceLock::new(),
            slots: Default::default(),
            calls: Calls::default(),
            progresses: Progresses::default(),
            clocks: Clocks::default(),
            least,
            #[cfg(feature = "http")]
            sender: OnceLock::new(),
        })
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

    /// Returns the data that the station at `place` keeps for this connection.
    ///
    /// # Panics
    ///
    /// Panics if the station asks for another type than before.
    pub(in crate::server) fn slot<T: Default + Send + Sync + 'static>(&self, place: Place) -> &T {
        let slot = self.slots[place as usize].get_or_init(|| Box::new(T::default()));
        slot.downcast_ref().expect("a station has one type of slot")
    }

    /// Sets the server that this connection reaches. This decides which data the door records.
    pub(in crate::server) fn reaches(&self, way: &Way) {
        let wants = way.wants() | self.least;
        self.wants.store(wants.0, Ordering::Relaxed);
        self.is_heard_by(way);
    }

    fn is_heard_by(&self, way: &Way) {
        self.listeners.get_or_init(|| {
            let all = way.stations().iter();
            let listening = all.filter(|station| station.wants().has(Wants::MESSAGES));
            let stations: Box<[_]> = listening.cloned().collect();
            let members = stations.iter().flat_map(|each| each.members_of_a_call());
            Listeners {
                members_of_a_call: members.copied().collect(),
                decider: Decider::of(way.stations()),
                withholds_tasks: way.judges_tasks(),
                stations,
            }
        });
    }

    /// Lets the stations of the server hear the first message already, if the caller runs inside of [`serving`]. The door
    /// still records all data about it, because a handshake needs them.
    pub(in crate::server) fn hears_first(&self) {
        if self.listeners.get().is_none() {
            // Without it, the first request of the connection sets the server.
            _ = SERVED.try_with(|way| self.is_heard_by(way));
        }
    }

    /// Returns the station that decides about messages to this side.
    pub(in crate::server) fn decider(&self, toward: Toward) -> Option<&Decider> {
        let decider = self.listeners.get()?.decider.as_ref()?;
        decider.decides(toward).then_some(decider)
    }

    /// Returns whether a notification about a task leaves without the contents of the task.
    pub(in crate::server) fn withholds_tasks(&self) -> bool {
        // A server whose stations judge contents is known from its first request on.
        let listeners = self.listeners.get();
        listeners.is_some_and(|listeners| listeners.withholds_tasks)
    }

    /// Returns the stations that want every message.
    pub(in crate::server) fn listeners(&self) -> &[Arc<dyn Station>] {
        self.listeners
            .get()
            .map_or(&[], |listeners| &listeners.stations)
    }

    /// Returns whether a message may be sent: its method has a row, and no station withholds it.
    pub(in crate::server) fn may_leave(&self, message: &TxJsonRpcMessage<RoleServer>) -> bool {
        let mut stations = self.listeners().iter();
        methods::may_leave(message) && !stations.any(|station| station.withholds(message))
    }

    /// Returns the members that these stations want from the params of a call.
    pub(in crate::server) fn members_of_a_call(&self) -> &[&'static str] {
        let listeners = self.listeners.get();
        listeners.map_or(&[], |listeners| &listeners.members_of_a_call)
    }

    /// Returns the mark for a request that arrives now, or `None` if no station wants it.
    ///
    /// For a call, pass its `tool`, and a function that returns the token under which the call may report progress.
    pub(in crate::server) fn arrival(
        self: &Arc<Connection>,
        tool: Option<&str>,
        token: impl FnOnce() -> Option<rmcp::model::ProgressToken>,
    ) -> Option<Arrival> {
        let wants = Wants(self.wants.load(Ordering::Relaxed));
        let by_session = wants.has(Wants::CLIENT_SESSION) && self.client_session.is_some();
        if !wants.has(Wants::CONNECTION) && !by_session {
            return None;
        }
        let ticket = tool.filter(|_| wants.has(Wants::ORDER));
        let token = tool
            .filter(|_| wants.has(Wants::PROGRESS))
            .and_then(|_| token());
        Some(Arrival {
            connection: self.clone(),
            ticket: ticket.map(|tool| Ticket::new(self, tool)),
            reported: token.map(|token| self.progresses.watch(token)),
        })
    }

    /// Records that a call reports progress under `token`.
    pub(in crate::server) fn progressed(&self, token: &rmcp::model::ProgressToken) {
        self.progresses.report(token);
    }

    /// Lets the stations end what they keep for this connection.
    pub(in crate::server) fn close(&self) {
        for station in self.listeners() {
            station.closed(self);
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("calls", &self.calls)
            .finish_non_exhaustive()
    }
}

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
