//! Calls that answered with a task. The SDK keeps their data for the requests that fetch the results.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    net::IpAddr,
    sync::{Arc, Mutex},
};

use futures::lock;
use rmcp::{ErrorData, RoleServer, model::CallToolResponse, service::RequestContext};

use super::{McpRequest, McpResponse, Parts, RequestState};
use crate::server::{connection::Connection, request::sender};

/// How many calls are kept, for all clients and for one client, and how many bytes they have.
const MOST: Share = Share {
    calls: 4096,
    bytes: 64 * 1024 * 1024,
};
const MOST_OF_ONE: Share = Share {
    calls: 256,
    bytes: 4 * 1024 * 1024,
};

/// The memory that a kept call needs beside the bytes that its middleware count, roughly, in bytes.
const OVERHEAD: usize = 4096;

/// The client to which something belongs, such as a task. Another client cannot fetch it, or take its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::server) enum Owner {
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
    pub(in crate::server) fn of(cx: &RequestContext<RoleServer>, connection: &Connection) -> Owner {
        match sender(cx, connection) {
            (_, Some(session)) => Owner::Session(session.into()),
            (owner, None) => owner,
        }
    }
}

/// A call whose result comes later. Only one request uses it at a time.
pub(super) type PendingTask = Arc<lock::Mutex<RequestState>>;

/// The calls by their clients and the ids of their tasks.
#[derive(Default)]
pub(super) struct Tasks(Mutex<TasksByOwner>);

#[derive(Clone, Copy, Debug, Default)]
struct Share {
    calls: usize,
    bytes: usize,
}

#[derive(Default)]
struct TasksByOwner {
    by_owner: HashMap<Owner, OfOne>,
    all: Share,
}

/// The calls of one client.
#[derive(Default)]
struct OfOne {
    by_task: HashMap<String, (PendingTask, usize)>,
    oldest: VecDeque<String>,
    bytes: usize,
}

impl OfOne {
    fn drop_oldest(&mut self, all: &mut Share) {
        let Some(oldest) = self.oldest.pop_front() else {
            return;
        };
        tracing::warn!(
            target: "hooks_sdk::server",
            task = oldest,
            "the data of the oldest task is dropped: too many tasks of its client are kept"
        );
        self.forget(&oldest, all);
    }

    fn forget(&mut self, task: &str, all: &mut Share) {
        if let Some((_, bytes)) = self.by_task.remove(task) {
            self.bytes -= bytes;
            all.bytes -= bytes;
            all.calls -= 1;
        }
    }
}

impl TasksByOwner {
    /// Drops the oldest call of the client that has the most, until one more has room.
    fn make_room(&mut self, bytes: usize) {
        while self.all.calls >= MOST.calls || self.all.bytes + bytes > MOST.bytes {
            let largest = self.by_owner.iter_mut().max_by_key(|(_, own)| own.bytes);
            let Some((owner, own)) = largest else {
                return;
            };
            own.drop_oldest(&mut self.all);
            if own.by_task.is_empty() {
                let owner = owner.clone();
                self.by_owner.remove(&owner);
            }
        }
    }
}

impl Parts {
    /// Keeps a call that was answered with a task.
    pub(super) fn keep_task(
        &self,
        owner: Owner,
        #[cfg_attr(
            not(feature = "plugin"),
            allow(unused_mut, reason = "plugins drop a part of it")
        )]
        mut call: RequestState,
        answer: &Result<McpResponse, ErrorData>,
    ) {
        let Ok(McpResponse::CallTool(CallToolResponse::Task(created))) = answer else {
            return;
        };
        #[cfg(feature = "plugin")]
        let bytes = call.plugin.lighten();
        #[cfg(not(feature = "plugin"))]
        let bytes = 0;
        self.tasks
            .keep(owner, created.task.task_id.clone(), call, bytes);
    }
}

impl Tasks {
    fn keep(&self, owner: Owner, task: String, call: RequestState, bytes: usize) {
        let bytes = bytes + 2 * task.len() + OVERHEAD;
        if bytes > MOST_OF_ONE.bytes {
            tracing::warn!(
                target: "hooks_sdk::server",
                bytes, "the data of a task is dropped: it is too large"
            );
            return;
        }
        let mut calls = crate::server::lock(&self.0);
        let TasksByOwner { by_owner, all } = &mut *calls;
        if let Some(own) = by_owner.get_mut(&owner) {
            if own.by_task.contains_key(&task) {
                own.forget(&task, all);
                own.oldest.retain(|each| *each != task);
            }
            while own.by_task.len() >= MOST_OF_ONE.calls || own.bytes + bytes > MOST_OF_ONE.bytes {
                own.drop_oldest(all);
            }
        }
        calls.make_room(bytes);
        let TasksByOwner { by_owner, all } = &mut *calls;
        let own = by_owner.entry(owner).or_default();
        let call = Arc::new(lock::Mutex::new(call));
        own.by_task.insert(task.clone(), (call, bytes));
        own.oldest.push_back(task);
        own.bytes += bytes;
        all.bytes += bytes;
        all.calls += 1;
    }

    /// Returns the call whose result a request fetches.
    pub(super) fn fetched_by(&self, owner: &Owner, asked: &McpRequest) -> Option<PendingTask> {
        let McpRequest::GetTask(request) = asked else {
            return None;
        };
        let calls = crate::server::lock(&self.0);
        let own = calls.by_owner.get(owner)?;
        own.by_task
            .get(&request.task_id)
            .map(|(call, _)| call.clone())
    }
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = crate::server::lock(&self.0);
        f.debug_tuple("Tasks").field(&calls.all).finish()
    }
}
