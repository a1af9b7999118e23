//! The requests of one connection that run, by their ids.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, OnceLock, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use rmcp::model::{ClientRequest, RequestId};
use tokio::{sync::Notify, time::Instant};
use tokio_util::sync::CancellationToken;

use super::in_flight::ClientRequestMessage;
use crate::server::lock;

/// How many requests of one connection run at a time, by default.
const MAX_REQUESTS: usize = 1024;

/// How many bytes all running requests of one connection together may have, by default (32 MiB).
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// The limits on requests that run at a time.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) struct Bounds {
    pub(in crate::server) requests: usize,
    pub(in crate::server) bytes: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            requests: MAX_REQUESTS,
            bytes: MAX_BYTES,
        }
    }
}

/// The requests that run, and the server's own that have no answer.
pub(in crate::server) struct Load {
    pub(super) counts: Mutex<Counts>,
    pub(super) changed: Notify,
}

pub(super) struct Counts {
    pub(super) requests: usize,
    bytes: usize,
    pub(super) unanswered: usize,
    /// Whether the request that began last has reached the limit.
    is_full: bool,
    /// When the limit was reached, or when the last request after that ended.
    pub(super) since: Instant,
    running: HashMap<RequestId, Arc<RunningRequest>>,
    /// The cancelled requests whose handlers still run, or have ended a short time ago.
    cancelled: HashMap<RequestId, Weak<RunningRequest>>,
    /// The server's own requests that the client has not answered.
    pub(super) asked: HashSet<RequestId>,
}

/// One running request.
///
/// It counts until it is answered or cancelled and its handler has dropped its context.
struct RunningRequest {
    bytes: usize,
    load: Arc<Load>,
    /// Whether its answer is still due.
    due: AtomicBool,
    /// The token of its context, if the SDK runs it.
    token: OnceLock<CancellationToken>,
}

/// The mark on a running request. It is dropped with the request's context, and when the request has passed its last
/// middleware.
#[derive(Clone)]
pub(in crate::server) struct InFlightMark(Arc<RunningRequest>);

impl InFlightMark {
    /// Sets the token to cancel when the client cancels the request, and when it is answered.
    pub(in crate::server) fn cancels(&self, token: CancellationToken) {
        _ = self.0.token.set(token);
    }
}

impl Load {
    /// Returns whether an earlier request with this id still runs, even if it is cancelled.
    pub(super) fn is_in_use(&self, id: &RequestId) -> bool {
        let counts = lock(&self.counts);
        let cancelled = counts.cancelled.get(id);
        counts.running.contains_key(id)
            || cancelled.is_some_and(|running| running.strong_count() > 0)
    }

    pub(super) fn run(
        self: &Arc<Load>,
        bounds: Bounds,
        request: &ClientRequestMessage,
        bytes: usize,
    ) -> InFlightMark {
        // The server answers a subscription when its client ends it.
        let due = !matches!(
            request.request,
            ClientRequest::SubscriptionsListenRequest(_)
        );
        let running = Arc::new(RunningRequest {
            bytes,
            load: self.clone(),
            due: AtomicBool::new(due),
            token: OnceLock::new(),
        });
        let mut counts = lock(&self.counts);
        counts.requests += 1;
        counts.bytes += bytes;
        counts.unanswered += usize::from(due);
        counts.is_full = !bounds.admit(&counts);
        if counts.is_full {
            counts.since = Instant::now();
        }
        counts.running.insert(request.id.clone(), running.clone());
        InFlightMark(running)
    }

    /// Called when the answer to a request is about to be sent. `only` is the mark of the request, where its sender has it.
    /// Returns whether the request waits for an answer: it does not if its client has cancelled it.
    pub(in crate::server) fn answered(&self, id: &RequestId, only: Option<&InFlightMark>) -> bool {
        let mut counts = lock(&self.counts);
        let running = counts.running.get(id);
        let is_own = running
            .is_some_and(|running| only.is_none_or(|InFlightMark(own)| Arc::ptr_eq(own, running)));
        if !is_own {
            return false;
        }
        let running = counts.running.remove(id);
        drop(counts);
        if let Some(running) = running {
            running.settle();
            running.cancel();
        }
        true
    }

    /// Called when the client cancels a request. Returns whether the request runs.
    pub(super) fn cancelled(&self, id: &RequestId) -> bool {
        let mut counts = lock(&self.counts);
        let Some(running) = counts.running.remove(id) else {
            return false;
        };
        counts.cancelled.retain(|_, each| each.strong_count() > 0);
        counts
            .cancelled
            .insert(id.clone(), Arc::downgrade(&running));
        drop(counts);
        running.settle();
        running.cancel();
        true
    }

    /// Cancels every request that runs.
    pub(in crate::server) fn cancel_all(&self) {
        let running: Vec<_> = lock(&self.counts).running.values().cloned().collect();
        for running in running {
            running.cancel();
        }
    }

    /// Called when the server sends a request to the client.
    pub(in crate::server) fn asks(&self, id: RequestId) {
        lock(&self.counts).asked.insert(id);
    }

    /// Called when the client has answered the server's request `id`, or the server no longer waits. Returns whether
    /// the request was open.
    pub(in crate::server) fn told(&self, id: &RequestId) -> bool {
        lock(&self.counts).asked.remove(id)
    }

    /// Removes the server's own requests that a middleware settles.
    pub(in crate::server) fn forget_asked(&self, settled: impl Fn(&RequestId) -> bool) {
        lock(&self.counts).asked.retain(|id| !settled(id));
    }

    /// Takes one of the server's own requests that has no answer.
    pub(in crate::server) fn next_asked(&self) -> Option<RequestId> {
        let mut counts = lock(&self.counts);
        let id = counts.asked.iter().next()?.clone();
        counts.asked.take(&id)
    }
}

impl Bounds {
    pub(super) fn admit(&self, counts: &Counts) -> bool {
        counts.requests == 0 || counts.requests < self.requests && counts.bytes < self.bytes
    }
}

impl Default for Load {
    fn default() -> Load {
        Load {
            counts: Mutex::new(Counts {
                requests: 0,
                bytes: 0,
                unanswered: 0,
                is_full: false,
                since: Instant::now(),
                running: HashMap::new(),
                cancelled: HashMap::new(),
                asked: HashSet::new(),
            }),
            changed: Notify::new(),
        }
    }
}

impl RunningRequest {
    fn cancel(&self) {
        if let Some(token) = self.token.get() {
            token.cancel();
        }
    }

    /// Records that no answer is due any more.
    fn settle(&self) {
        if self.due.swap(false, Ordering::Relaxed) {
            lock(&self.load.counts).unanswered -= 1;
            self.load.changed.notify_waiters();
        }
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        self.settle();
        let mut counts = lock(&self.load.counts);
        counts.requests -= 1;
        counts.bytes -= self.bytes;
        // Nobody waits before the limit is reached, and each look at the clock costs every request.
        if counts.is_full {
            counts.since = Instant::now();
        }
        drop(counts);
        self.load.changed.notify_waiters();
    }
}

impl Drop for InFlightMark {
    fn drop(&mut self) {
        // rmcp never answers a request whose handler panics outside `Hooked`.
        if std::thread::panicking() {
            self.0.settle();
        }
    }
}
