//! The order in which the calls of a connection arrived. A call stays in it until it ends.
//!
//! rmcp runs requests concurrently, in no fixed order. The wire shim therefore gives each `tools/call` a ticket before
//! rmcp sees it. The gate lets a call wait for earlier calls of its session that may change the session's state.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use tokio::sync::Notify;

use super::{connection::Connection, lock, wait_until};
use hooks_core::{
    session::{Machine, StateIndex},
    store::Key,
};

/// The calls of a connection that have not ended.
#[derive(Default)]
pub(crate) struct CallOrder(Mutex<OpenCalls>);

#[derive(Default)]
struct OpenCalls {
    arrived: u64,
    running: BTreeMap<u64, Arc<OrderedCall>>,
}

/// A call, as later calls see it.
struct OrderedCall {
    tool: Box<str>,
    progress: Mutex<CallProgress>,
    changed: Notify,
}

#[derive(Clone)]
enum CallProgress {
    /// The SDK does not know the session of the call yet.
    Arrived,
    /// The call waits for earlier calls.
    Waiting(Key),
    /// The call runs, and may move its session out of the state in which it started.
    Moving(Key, StateIndex),
    /// The call no longer changes its session.
    Passed,
}

/// The position of a call in the order. The call gives it back with [`release`](Ticket::release), or when the ticket is
/// dropped.
pub(crate) struct Ticket {
    connection: Arc<Connection>,
    number: u64,
    call: Arc<OrderedCall>,
}

impl Ticket {
    /// Creates a ticket for a call of `tool` that arrives now.
    pub(super) fn new(connection: &Arc<Connection>, tool: &str) -> Arc<Ticket> {
        let call = Arc::new(OrderedCall {
            tool: tool.into(),
            progress: Mutex::new(CallProgress::Arrived),
            changed: Notify::new(),
        });
        let mut calls = lock(&connection.calls.0);
        calls.arrived += 1;
        let number = calls.arrived;
        calls.running.insert(number, call.clone());
        Arc::new(Ticket {
            connection: connection.clone(),
            number,
            call,
        })
    }

    /// Records that the call belongs to the session under `key`.
    pub(crate) fn belongs_to(&self, key: &Key) {
        self.call.set(CallProgress::Waiting(key.clone()));
    }

    /// Returns the earlier calls that a call of `tool` must wait for: calls that may change the state that it reads,
    /// and calls that may read the state that it changes.
    pub(crate) fn earlier(&self, tool: &str, machine: &Machine) -> Earlier {
        // A call that may change the state waits until earlier calls have read it.
        let moves = machine.ever_moves(tool);
        let matters = |call: &&Arc<OrderedCall>| {
            machine.ever_moves(&call.tool) || moves && machine.guards(&call.tool)
        };
        let calls = lock(&self.connection.calls.0);
        let before = calls.running.range(..self.number).map(|(_, call)| call);
        Earlier(before.filter(matters).cloned().collect())
    }

    /// Records that the call runs now, and may move its session out of `state`.
    pub(crate) fn moves(&self, key: &Key, state: StateIndex) {
        self.call.set(CallProgress::Moving(key.clone(), state));
    }

    /// Lets later calls stop waiting for this call.
    pub(crate) fn release(&self) {
        lock(&self.connection.calls.0).running.remove(&self.number);
        self.call.set(CallProgress::Passed);
    }

    /// Makes later calls wait for this call again.
    pub(crate) fn retake(&self) {
        self.call.set(CallProgress::Arrived);
        let mut calls = lock(&self.connection.calls.0);
        calls.running.insert(self.number, self.call.clone());
    }
}

/// The calls that arrived before another call and still ran when it began.
#[derive(Default)]
pub(crate) struct Earlier(Vec<Arc<OrderedCall>>);

impl Earlier {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Waits until none of these calls may change the state that `tool` reads in the session under `key`, or read the
    /// state that `tool` changes.
    pub(crate) async fn let_pass(self, key: &Key, tool: &str, machine: &Machine) {
        for call in self.0 {
            wait_until(&call.changed, || match &*lock(&call.progress) {
                CallProgress::Arrived => false,
                CallProgress::Waiting(its) => its != key,
                CallProgress::Moving(its, state) => {
                    its != key || machine.interchangeable(*state, &call.tool, tool)
                }
                CallProgress::Passed => true,
            })
            .await;
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.release();
    }
}

impl OrderedCall {
    fn set(&self, progress: CallProgress) {
        *lock(&self.progress) = progress;
        self.changed.notify_waiters();
    }
}
