//! Counts the requests that were read and not yet answered, and holds back those beyond the limit.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    fmt,
    sync::{
        Arc, Mutex, OnceLock, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rmcp::model::{ClientRequest, JsonRpcRequest, RequestId};
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

use crate::server::lock;

pub(in crate::server) type ClientRequestMessage = JsonRpcRequest<ClientRequest>;

/// How many requests of one connection run at a time, by default.
const MAX_REQUESTS: usize = 1024;

/// How many bytes all running requests of one connection together may have, by default (32 MiB).
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// How many bytes of requests are read ahead beyond the limit (256 KiB).
///
/// Answers and cancellations may follow them on the stream.
const READ_AHEAD: usize = 256 * 1024;

/// How many bytes of requests are read ahead while the server waits for an answer of the client (16 MiB).
const READ_AHEAD_FOR_ANSWERS: usize = 16 * 1024 * 1024;

/// The memory that a request needs beside its text, roughly, in bytes.
const OVERHEAD: usize = 1024;

/// How long reading pauses while no running request ends. After that time the SDK refuses further requests.
const PATIENCE: Duration = Duration::from_secs(60);

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

/// The requests of one connection, from their arrival to their answers.
pub(in crate::server) struct InFlight {
    pub(in crate::server) bounds: Bounds,
    pub(in crate::server) load: Arc<Load>,
    held: VecDeque<(ClientRequestMessage, usize)>,
    held_ids: HashSet<RequestId>,
    held_bytes: usize,
}

/// The requests that run, and the server's own that have no answer.
pub(in crate::server) struct Load {
    counts: Mutex<Counts>,
    changed: Notify,
}

struct Counts {
    requests: usize,
    bytes: usize,
    unanswered: usize,
    /// Whether the request that began last has reached the limit.
    is_full: bool,
    /// When the limit was reached, or when the last request after that ended.
    since: Instant,
    running: HashMap<RequestId, Arc<RunningRequest>>,
    /// The cancelled requests whose handlers still run, or have ended a short time ago.
    cancelled: HashMap<RequestId, Weak<RunningRequest>>,
    /// The server's own requests that the client has not answered.
    asked: HashSet<RequestId>,
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

/// Why a request is refused, with its id.
pub(in crate::server) enum RefusedRequest {
    /// Too many requests run.
    Full(RequestId),
    /// An earlier request with this id still runs.
    InUse(RequestId),
}

impl InFlight {
    /// Returns whether another request may run.
    fn has_room(&self) -> bool {
        self.bounds.admit(&lock(&self.load.counts))
    }

    /// Returns whether the next line may be read.
    fn may_read(&self) -> bool {
        let counts = lock(&self.load.counts);
        let ahead = if counts.asked.is_empty() {
            READ_AHEAD
        } else {
            READ_AHEAD_FOR_ANSWERS
        };
        self.held_bytes < ahead || self.bounds.admit(&counts)
    }

    /// Waits until the next line may be read. Also returns when no request has ended for 60 seconds.
    pub(in crate::server) async fn room_to_read(&self) {
        while !self.may_read() {
            let changed = self.load.changed.notified();
            let until = lock(&self.load.counts).since + PATIENCE;
            if self.may_read() || timeout_at(until, changed).await.is_err() {
                return;
            }
        }
    }

    /// Waits until a request that is held back may run. If none is held back, waits for ever.
    pub(in crate::server) async fn room_to_run(&self) {
        if self.held.is_empty() {
            return std::future::pending().await;
        }
        loop {
            let changed = self.load.changed.notified();
            if self.has_room() {
                return;
            }
            changed.await;
        }
    }

    /// Returns the next request that was held back and may run now.
    pub(in crate::server) fn next_held(&mut self) -> Option<(ClientRequestMessage, InFlightMark)> {
        if self.held.is_empty() || !self.has_room() {
            return None;
        }
        let (request, bytes) = self.held.pop_front()?;
        self.held_bytes -= bytes;
        self.held_ids.remove(&request.id);
        let mark = self.load.run(self.bounds, &request, bytes);
        Some((request, mark))
    }

    /// Takes a request whose line has `length` bytes. Returns the request if it runs now. Otherwise holds it back and
    /// returns `None`.
    ///
    /// # Errors
    ///
    /// Returns an error if no room became free in time, or if the request's id is in use.
    pub(in crate::server) fn admit(
        &mut self,
        request: ClientRequestMessage,
        length: usize,
    ) -> Result<Option<(ClientRequestMessage, InFlightMark)>, RefusedRequest> {
        if self.held_ids.contains(&request.id) || self.load.is_in_use(&request.id) {
            return Err(RefusedRequest::InUse(request.id));
        }
        let bytes = length + OVERHEAD;
        if self.held.is_empty() && self.has_room() {
            let mark = self.load.run(self.bounds, &request, bytes);
            return Ok(Some((request, mark)));
        }
        if !self.may_read() {
            return Err(RefusedRequest::Full(request.id));
        }
        self.held_bytes += bytes;
        self.held_ids.insert(request.id.clone());
        self.held.push_back((request, bytes));
        Ok(None)
    }

    /// Called when the client cancels a request.
    pub(in crate::server) fn cancelled(&mut self, id: &RequestId) {
        if !self.load.cancelled(id)
            && self.held_ids.remove(id)
            && let Some(at) = self.held.iter().position(|(held, _)| held.id == *id)
            && let Some((_, bytes)) = self.held.remove(at)
        {
            self.held_bytes -= bytes;
        }
    }

    /// Returns how many requests were read and have no answer.
    pub(in crate::server) fn unanswered(&self) -> usize {
        lock(&self.load.counts).unanswered + self.held.len()
    }

    /// Waits until every request that was read is answered.
    pub(in crate::server) async fn all_answered(&self) {
        loop {
            let changed = self.load.changed.notified();
            if self.unanswered() == 0 {
                return;
            }
            changed.await;
        }
    }
}

impl Load {
    /// Returns whether an earlier request with this id still runs, even if it is cancelled.
    fn is_in_use(&self, id: &RequestId) -> bool {
        let counts = lock(&self.counts);
        let cancelled = counts.cancelled.get(id);
        counts.running.contains_key(id)
            || cancelled.is_some_and(|running| running.strong_count() > 0)
    }

    fn run(
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
    fn cancelled(&self, id: &RequestId) -> bool {
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
    fn admit(&self, counts: &Counts) -> bool {
        counts.requests == 0 || counts.requests < self.requests && counts.bytes < self.bytes
    }
}

impl Default for InFlight {
    fn default() -> InFlight {
        let counts = Mutex::new(Counts {
            requests: 0,
            bytes: 0,
            unanswered: 0,
            is_full: false,
            since: Instant::now(),
            running: HashMap::new(),
            cancelled: HashMap::new(),
            asked: HashSet::new(),
        });
        let changed = Notify::new();
        InFlight {
            bounds: Bounds::default(),
            load: Arc::new(Load { counts, changed }),
            held: VecDeque::new(),
            held_ids: HashSet::new(),
            held_bytes: 0,
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

impl fmt::Debug for InFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InFlight")
            .field("bounds", &self.bounds)
            .field("running", &lock(&self.load.counts).requests)
            .field("held", &self.held.len())
            .finish_non_exhaustive()
    }
}
