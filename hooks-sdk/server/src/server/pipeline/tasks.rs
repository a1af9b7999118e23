//! Calls that answered with a task. The SDK keeps their data for the requests that fetch the results.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex},
};

use rmcp::model::CallToolResponse;

use super::{McpAnswer, McpRequest, McpResponse, RequestState};
use crate::server::{McpContext, connection::Connection, lock, request::sender};

/// How many calls are kept for all clients, and how many bytes they have.
const MOST: (usize, usize) = (4096, 64 * 1024 * 1024);

/// How many calls are kept for one client, and how many bytes they have.
const MOST_OF_ONE: (usize, usize) = (256, 4 * 1024 * 1024);

/// The memory that a kept call needs beside the bytes that its middleware count, roughly, in bytes.
const OVERHEAD: usize = 4096;

/// The client to which something belongs, such as a task. Another client cannot fetch it, or take its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    Principal(Box<str>),
    /// The session of a client of HTTP that has no principal.
    Session(Box<str>),
    /// A stream.
    Connection(u128),
    /// The clients of HTTP at an address that have neither a principal nor a session. `None` are those whose address the
    /// server does not know.
    Address(Option<IpAddr>),
}

impl Owner {
    pub(crate) fn of(cx: &McpContext, connection: &Connection) -> Owner {
        match sender(cx, connection) {
            (_, Some(session)) => Owner::Session(session.into()),
            (owner, None) => owner,
        }
    }
}

/// A call whose result comes later. Only one request uses it at a time.
pub(super) type PendingTask = Arc<futures::lock::Mutex<RequestState>>;

/// The calls that were answered with a task, from the oldest to the newest.
#[derive(Default)]
pub(super) struct Tasks(Mutex<Vec<KeptTask>>);

struct KeptTask {
    owner: Owner,
    id: String,
    call: PendingTask,
    bytes: usize,
}

/// Returns whether one more call of this size has no room beside these.
fn is_full<'t>(
    kept: impl Iterator<Item = &'t KeptTask>,
    bytes: usize,
    (most, most_bytes): (usize, usize),
) -> bool {
    let (calls, sum) = kept.fold((0, 0), |(calls, sum), each| (calls + 1, sum + each.bytes));
    calls >= most || sum + bytes > most_bytes
}

/// Drops the oldest call of a client. Returns whether there was one.
fn drop_oldest(kept: &mut Vec<KeptTask>, owner: &Owner) -> bool {
    let Some(at) = kept.iter().position(|each| each.owner == *owner) else {
        return false;
    };
    // Not among the fields of the event: they are made only where somebody listens.
    let oldest = kept.remove(at);
    warn!(
        task = oldest.id,
        "the data of the oldest task is dropped: too many tasks of its client are kept"
    );
    true
}

/// Returns the client whose calls have the most bytes.
fn largest(kept: &[KeptTask]) -> Option<Owner> {
    let mut bytes = HashMap::new();
    for each in kept {
        *bytes.entry(&each.owner).or_insert(0) += each.bytes;
    }
    let largest = bytes.into_iter().max_by_key(|(_, bytes)| *bytes);
    largest.map(|(owner, _)| owner.clone())
}

impl Tasks {
    /// Keeps a call that was answered with a task.
    pub(super) fn keep(&self, owner: Owner, mut call: RequestState, answer: &McpAnswer) {
        let Ok(McpResponse::CallTool(CallToolResponse::Task(created))) = answer else {
            return;
        };
        let id = created.task.task_id.clone();
        let bytes = 2 * id.len() + OVERHEAD;
        #[cfg(feature = "policy-engine")]
        let bytes = bytes + call.plugin.lighten();
        if bytes > MOST_OF_ONE.1 {
            warn!(bytes, "the data of a task is dropped: it is too large");
            return;
        }
        let mut kept = lock(&self.0);
        kept.retain(|each| each.owner != owner || each.id != id);
        let is_own = |each: &&KeptTask| each.owner == owner;
        while is_full(kept.iter().filter(is_own), bytes, MOST_OF_ONE)
            && drop_oldest(&mut kept, &owner)
        {}
        while is_full(kept.iter(), bytes, MOST)
            && largest(&kept).is_some_and(|owner| drop_oldest(&mut kept, &owner))
        {}
        kept.push(KeptTask {
            owner,
            id,
            call: Arc::new(futures::lock::Mutex::new(call)),
            bytes,
        });
    }

    /// Returns the call whose result a request fetches.
    pub(super) fn fetched_by(&self, owner: &Owner, asked: &McpRequest) -> Option<PendingTask> {
        let McpRequest::GetTask(request) = asked else {
            return None;
        };
        let kept = lock(&self.0);
        let mut own = kept.iter().filter(|each| each.owner == *owner);
        let task = own.find(|each| each.id == request.task_id)?;
        Some(task.call.clone())
    }
}
