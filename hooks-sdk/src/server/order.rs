//! The order in which a connection's calls arrived, kept until each has ended.
//!
//! rmcp runs requests side by side in no order. The wire shim gives each `tools/call` a ticket before rmcp
//! sees it; the gate lets a call wait for earlier ones of its session that may change the session's state.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
};

use tokio::sync::Notify;

use super::{connection::Connection, lock::lock};
use crate::{
    session::{Machine, StateIndex},
    store::Key,
};

/// The calls of a connection that have not ended.
#[derive(Default)]
pub(super) struct Calls(Mutex<Running>);

#[derive(Default)]
struct Running {
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

impl Ticket {
    /// A ticket for a call of `tool` that arrives now.
    pub(super) fn new(connection: &Arc<Connection>, tool: &str) -> Ticket {
        let call = Arc::new(Call {
            tool: tool.into(),
            progress: Mutex::new(Progress::Arrived),
            changed: Notify::new(),
        });
        let mut calls = lock(&connection.calls.0);
        calls.arrived += 1;
        let number = calls.arrived;
        calls.running.insert(number, call.clone());
        Ticket(Arc::new(Held {
            connection: connection.clone(),
            number,
            call,
        }))
    }

    /// The call belongs to the session under `key`.
    pub(in crate::server) fn belongs_to(&self, key: &Key) {
        self.0.call.set(Progress::Waiting(key.clone()));
    }

    /// The earlier calls that may change what `tool` finds, or find what it changes.
    pub(in crate::server) fn earlier(&self, tool: &str, machine: &Machine) -> Earlier {
        // Whoever may change the state lets earlier calls look at it first.
        let moves = machine.ever_moves(tool);
        let matters = |call: &&Arc<Call>| {
            machine.ever_moves(&call.tool) || moves && machine.guards(&call.tool)
        };
        let calls = lock(&self.0.connection.calls.0);
        let before = calls.running.range(..self.0.number).map(|(_, call)| call);
        Earlier(before.filter(matters).cloned().collect())
    }

    /// The call runs now, and may lead out of `state`.
    pub(in crate::server) fn moves(&self, key: &Key, state: StateIndex) {
        self.0.call.set(Progress::Moving(key.clone(), state));
    }

    /// Nobody needs to wait for this call any more.
    pub(in crate::server) fn release(&self) {
        self.0.release();
    }

    /// Calls that arrived later wait for this one again.
    pub(in crate::server) fn retake(&self) {
        let held = &self.0;
        held.call.set(Progress::Arrived);
        let mut calls = lock(&held.connection.calls.0);
        calls.running.insert(held.number, held.call.clone());
    }
}

/// Calls that arrived before another one and ran when it began.
#[derive(Default)]
pub(in crate::server) struct Earlier(Vec<Arc<Call>>);

impl Earlier {
    pub(in crate::server) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Waits until none of them may change what `tool` finds in the session under `key`, nor find what it changes.
    pub(in crate::server) async fn let_pass(self, key: &Key, tool: &str, machine: &Machine) {
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
        lock(&self.connection.calls.0).running.remove(&self.number);
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

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Calls")
            .field(&lock(&self.0).running.len())
            .finish()
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ticket").field(&self.0.number).finish()
    }
}
