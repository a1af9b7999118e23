//! One connection of a client: its number, what the stations want to know of its messages, and a slot for each station.

use std::{
    any::Any,
    fmt,
    ops::BitOr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
};

use super::{
    order::{Calls, Ticket},
    progress::{Progresses, Reported},
    way::{Place, Station, Way},
};

/// What stations need to know of each message; the door records nothing that nobody wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) struct Wants(u8);

impl Wants {
    pub(in crate::server) const NOTHING: Wants = Wants(0);
    /// The order in which calls of tools arrive.
    pub(in crate::server) const ORDER: Wants = Wants(1);
    /// Whether a call reports progress.
    pub(in crate::server) const PROGRESS: Wants = Wants(1 << 1);
    /// The connection of each request.
    pub(in crate::server) const CONNECTION: Wants = Wants(1 << 2);
    /// The connection of requests, if the client names its session to the process that serves it.
    pub(in crate::server) const CLIENT_SESSION: Wants = Wants(1 << 3);
    /// Every message, as it arrives and as it leaves.
    pub(in crate::server) const MESSAGES: Wants = Wants(1 << 4);
    /// What was kept of a call, when the result of its task is fetched.
    pub(in crate::server) const TASKS: Wants = Wants(1 << 5);
    const ALL: Wants = Wants(u8::MAX);

    /// Whether they include all of `wanted`.
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

/// One connection of a client.
pub(in crate::server) struct Connection {
    number: u128,
    client_session: Option<Box<str>>,
    /// Everything, until the server is known.
    wants: AtomicU8,
    /// Who listens, once the server is known.
    listeners: OnceLock<Listeners>,
    slots: [OnceLock<Box<dyn Any + Send + Sync>>; Place::COUNT],
    pub(super) calls: Calls,
    progresses: Progresses,
}

/// The stations that want every message.
struct Listeners {
    stations: Box<[Arc<dyn Station>]>,
    members_of_a_call: &'static [&'static str],
}

/// The mark on a request that came by a stream of ours.
#[derive(Clone, Debug)]
pub(in crate::server) struct Arrival {
    pub(in crate::server) connection: Arc<Connection>,
    /// The place of a call among the connection's calls.
    pub(in crate::server) ticket: Option<Ticket>,
    /// Whether the call has reported progress.
    pub(in crate::server) reported: Option<Reported>,
}

impl Connection {
    pub(in crate::server) fn new(client_session: Option<Box<str>>) -> Arc<Connection> {
        let mut number = [0; 16];
        // The standard library's hash maps panic then, too.
        getrandom::fill(&mut number).expect("random bytes from the operating system");
        Arc::new(Connection {
            number: u128::from_be_bytes(number),
            client_session,
            wants: AtomicU8::new(Wants::ALL.0),
            listeners: OnceLock::new(),
            slots: Default::default(),
            calls: Calls::default(),
            progresses: Progresses::default(),
        })
    }

    /// The client's own id of the one session that this connection serves.
    pub(in crate::server) fn client_session(&self) -> Option<&str> {
        self.client_session.as_deref()
    }

    /// Tells it from every other.
    pub(in crate::server) fn number(&self) -> u128 {
        self.number
    }

    /// What the station at `place` keeps for this connection.
    ///
    /// # Panics
    ///
    /// When the station asks for another type than before.
    pub(in crate::server) fn slot<T: Default + Send + Sync + 'static>(&self, place: Place) -> &T {
        let slot = self.slots[place as usize].get_or_init(|| Box::new(T::default()));
        slot.downcast_ref().expect("a station has one type of slot")
    }

    /// Learns which server it reaches, and so what is to be recorded.
    pub(in crate::server) fn reaches(&self, way: &Way) {
        self.wants.store(way.wants().0, Ordering::Relaxed);
        self.listeners.get_or_init(|| {
            let all = way.stations().iter();
            let listening = all.filter(|station| station.wants().has(Wants::MESSAGES));
            let stations: Box<[_]> = listening.cloned().collect();
            let mut members = stations.iter().map(|each| each.members_of_a_call());
            Listeners {
                members_of_a_call: members.find(|members| !members.is_empty()).unwrap_or(&[]),
                stations,
            }
        });
    }

    /// The stations that want every message.
    pub(in crate::server) fn listeners(&self) -> &[Arc<dyn Station>] {
        self.listeners
            .get()
            .map_or(&[], |listeners| &listeners.stations)
    }

    /// The members that they want of the params of a call.
    pub(in crate::server) fn members_of_a_call(&self) -> &'static [&'static str] {
        let listeners = self.listeners.get();
        listeners.map_or(&[], |listeners| listeners.members_of_a_call)
    }

    /// The mark for a request that arrives now; of a call, with its `tool` and a function that finds the token under
    /// which it may report progress. `None` when nobody wants it.
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

    /// A call reports progress under `token`.
    pub(in crate::server) fn progressed(&self, token: &rmcp::model::ProgressToken) {
        self.progresses.report(token);
    }

    /// Ends what the stations keep for it.
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

/// Something that is so from some time on.
#[derive(Debug, Default)]
pub(in crate::server) struct Flag(AtomicBool);

impl Flag {
    pub(in crate::server) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(in crate::server) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Clears it; returns whether it was set.
    pub(in crate::server) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}
