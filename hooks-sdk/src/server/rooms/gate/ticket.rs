//! The order in which a connection's calls arrived, kept until each has ended.
//!
//! rmcp runs requests side by side in no order. The wire shim gives each `tools/call` a ticket before rmcp
//! sees it; the gate lets a call wait for earlier ones of its session that may change the session's state.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::Notify;

use crate::server::{
    lock::lock,
    rooms::guidance::{KnownClient, OfSessions, OwnPrompts},
    rooms::mcpl::Kept,
};

use super::remembered::{Flag, LogLevel, Progresses};
use crate::{
    session::{Identity, Ledger, Machine, StateIndex},
    store::Key,
};

/// One connection: its calls in flight, and the sessions that end with it.
pub(in crate::server) struct Connection {
    number: u128,
    client_session: Option<Box<str>>,
    /// Whether nobody asks for the order, because the server has no sessions.
    unordered: AtomicBool,
    calls: Mutex<Calls>,
    ends_with_it: Mutex<Vec<(Key, Ledger)>>,
    /// The beginning of its first session was told to the agent in the handshake.
    pub(in crate::server) told: Flag,
    /// It has had its `initialize`.
    pub(in crate::server) greeted: Flag,
    /// Nobody observes its calls.
    pub(in crate::server) unobserved: Flag,
    pub(in crate::server) client: KnownClient,
    pub(in crate::server) own_prompts: OwnPrompts,
    /// What guidance keeps for the sessions that end with it.
    pub(in crate::server) kept: OfSessions,
    pub(in crate::server) log_level: LogLevel,
    pub(in crate::server) progresses: Progresses,
    pub(in crate::server) mcpl: Kept,
}

#[derive(Default)]
struct Calls {
    arrived: u64,
    running: BTreeMap<u64, Arc<Call>>,
}

/// A call as those behind it see it.
struct Call {
    tool: Box<str>,
    progress: Mutex<Progress>,
    changed: Notify,
}

#[derive(Clone)]
enum Progress {
    /// Nobody knows its session yet.
    Arrived,
    /// It waits for earlier ones itself.
    Waiting(Key),
    /// It runs, and may lead out of the state it started in.
    Moving(Key, StateIndex),
    /// It changes nothing any more.
    Passed,
}

/// A call's place in the order; it is given back when the last copy is dropped, if not before.
#[derive(Clone)]
pub(in crate::server) struct Ticket(Arc<Held>);

struct Held {
    connection: Arc<Connection>,
    number: u64,
    call: Arc<Call>,
}

impl Connection {
    pub(in crate::server) fn new(client_session: Option<Box<str>>) -> Arc<Connection> {
        let mut number = [0; 16];
        // The standard library's hash maps panic then, too.
        getrandom::fill(&mut number).expect("random bytes from the operating system");
        Arc::new(Connection {
            number: u128::from_be_bytes(number),
            client_session,
            unordered: AtomicBool::new(false),
            calls: Mutex::default(),
            ends_with_it: Mutex::default(),
            told: Flag::default(),
            greeted: Flag::default(),
            unobserved: Flag::default(),
            client: KnownClient::default(),
            own_prompts: OwnPrompts::default(),
            kept: OfSessions::default(),
            log_level: LogLevel::default(),
            progresses: Progresses::default(),
            mcpl: Kept::default(),
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

    pub(super) fn identity(&self) -> Identity<'static> {
        Identity::Connection(self.number)
    }

    /// A ticket for a call of `tool` that arrives now; `None` when nobody asks for the order.
    pub(in crate::server) fn ticket(self: &Arc<Connection>, tool: &str) -> Option<Ticket> {
        if self.unordered.load(Ordering::Relaxed) {
            return None;
        }
        let progress = Mutex::new(Progress::Arrived);
        let call = Arc::new(Call {
            tool: tool.into(),
            progress,
            changed: Notify::new(),
        });
        let mut calls = lock(&self.calls);
        calls.arrived += 1;
        let number = calls.arrived;
        calls.running.insert(number, call.clone());
        Some(Ticket(Arc::new(Held {
            connection: self.clone(),
            number,
            call,
        })))
    }

    /// Gives no more tickets: the server has no sessions.
    pub(in crate::server) fn stop_ordering(&self) {
        self.unordered.store(true, Ordering::Relaxed);
    }

    /// Forgets a session when the connection is gone.
    pub(super) fn take_along(&self, key: &Key, ledger: &Ledger) {
        let mut ends = lock(&self.ends_with_it);
        if ends.iter().all(|(each, _)| each != key) {
            ends.push((key.clone(), ledger.clone()));
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let ends = std::mem::take(&mut *lock(&self.ends_with_it));
        if ends.is_empty() {
            return;
        }
        // Outside a runtime the process is ending, or the sessions expire.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                for (key, ledger) in ends {
                    if let Err(error) = ledger.close(&key).await {
                        tracing::warn!(%error, "the session of a closed connection was not forgotten");
                    }
                }
            });
        }
    }
}

impl Ticket {
    pub(in crate::server) fn connection(&self) -> &Arc<Connection> {
        &self.0.connection
    }

    /// The call belongs to the session under `key`.
    pub(super) fn belongs_to(&self, key: &Key) {
        self.0.call.set(Progress::Waiting(key.clone()));
    }

    /// The earlier calls that may change what `tool` finds, or find what it changes.
    pub(super) fn earlier(&self, tool: &str, machine: &Machine) -> Earlier {
        // Whoever may change the state lets earlier calls look at it first.
        let moves = machine.ever_moves(tool);
        let matters = |call: &&Arc<Call>| {
            machine.ever_moves(&call.tool) || moves && machine.guards(&call.tool)
        };
        let calls = lock(&self.0.connection.calls);
        let before = calls.running.range(..self.0.number).map(|(_, call)| call);
        Earlier(before.filter(matters).cloned().collect())
    }

    /// The call runs now, and may lead out of `state`.
    pub(super) fn moves(&self, key: &Key, state: StateIndex) {
        self.0.call.set(Progress::Moving(key.clone(), state));
    }

    /// Nobody needs to wait for this call any more.
    pub(in crate::server) fn release(&self) {
        self.0.release();
    }
}

/// Calls that arrived before another one and ran when it began.
#[derive(Default)]
pub(super) struct Earlier(Vec<Arc<Call>>);

impl Earlier {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Waits until none of them may change what `tool` finds in the session under `key`, nor find what it changes.
    pub(super) async fn let_pass(self, key: &Key, tool: &str, machine: &Machine) {
        for call in self.0 {
            call.until(|progress| match progress {
                Progress::Arrived => false,
                Progress::Waiting(its) => its != key,
                Progress::Moving(its, state) => {
                    its != key || machine.interchangeable(*state, &call.tool, tool)
                }
                Progress::Passed => true,
            })
            .await;
        }
    }
}

impl Held {
    fn release(&self) {
        lock(&self.connection.calls).running.remove(&self.number);
        self.call.set(Progress::Passed);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.release();
    }
}

impl Call {
    fn set(&self, progress: Progress) {
        *lock(&self.progress) = progress;
        self.changed.notify_waiters();
    }

    async fn until(&self, holds: impl Fn(&Progress) -> bool) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Before looking, so that no change falls in between.
            changed.as_mut().enable();
            if holds(&lock(&self.progress)) {
                return;
            }
            changed.await;
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("running", &lock(&self.calls).running.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ticket").field(&self.0.number).finish()
    }
}
