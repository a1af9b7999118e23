//! The requests of one connection from their arrival to their answers: those that run, and those beyond the limits, which are
//! held back.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    future::pending,
    ptr,
    sync::{
        Arc, Mutex, OnceLock, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rmcp::{
    ErrorData,
    model::{ClientRequest, JsonRpcRequest, RequestId},
};
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

use super::message::in_use;
use crate::server::{lock, wait_until};

pub(crate) type ClientRequestMessage = JsonRpcRequest<ClientRequest>;

/// How many requests of one connection run at a time, by default.
const MAX_REQUESTS: usize = 1024;

/// How many bytes all running requests of one connection together may have, by default (32 MiB).
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// How many bytes of requests are read ahead beyond the limit (256 KiB). Answers and cancellations may follow them on the stream.
const READ_AHEAD: usize = 256 * 1024;

/// How many bytes of requests are read ahead while the server waits for an answer of the client (16 MiB).
const READ_AHEAD_FOR_ANSWERS: usize = 16 * 1024 * 1024;

/// The memory that a request needs beside its text, roughly, in bytes.
const OVERHEAD: usize = 1024;

/// How long reading pauses while no running request ends. After that time the SDK refuses further requests.
const PATIENCE: Duration = Duration::from_secs(60);

/// The limits on requests that run at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) requests: usize,
    pub(crate) bytes: usize,
}

impl Bounds {
    fn admit(&self, counts: &Counts) -> bool {
        counts.requests == 0 || counts.requests < self.requests && counts.bytes < self.bytes
    }
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            requests: MAX_REQUESTS,
            bytes: MAX_BYTES,
        }
    }
}

/// The requests of a stream.
#[derive(Default)]
pub(crate) struct InFlight {
    pub(crate) bounds: Bounds,
    pub(crate) load: Arc<Load>,
    held: VecDeque<(ClientRequestMessage, usize)>,
    held_bytes: usize,
}

/// The requests that run, and the server's own that have no answer.
#[derive(Default)]
pub(crate) struct Load {
    counts: Mutex<Counts>,
    changed: Notify,
}

#[derive(Default)]
struct Counts {
    requests: usize,
    bytes: usize,
    unanswered: usize,
    /// Whether the request that began last has reached the limit.
    is_full: bool,
    /// When the limit was reached, or when the last request after that ended.
    since: Option<Instant>,
    /// The requests whose ids are in use.
    by_id: HashMap<RequestId, KnownRequest>,
    /// The server's own requests that the client has not answered.
    asked: HashSet<RequestId>,
}

/// A request whose id is in use.
enum KnownRequest {
    Held,
    Running(Arc<RunningRequest>),
    /// Its handler still runs. It leaves the map when it is dropped.
    Cancelled(Weak<RunningRequest>),
}

/// One running request. It counts until it is answered or cancelled and its handler has dropped its context.
struct RunningRequest {
    id: RequestId,
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
pub(crate) struct InFlightMark(Arc<RunningRequest>);

impl InFlight {
    /// Returns whether another request may run.
    fn has_room(&self) -> bool {
        self.bounds.admit(&lock(&self.load.counts))
    }

    /// Returns whether the next line may be read.
    fn may_read(&self) -> bool {
        let counts = lock(&self.load.counts);
        let ahead = match counts.asked.is_empty() {
            true => READ_AHEAD,
            false => READ_AHEAD_FOR_ANSWERS,
        };
        self.held_bytes < ahead || self.bounds.admit(&counts)
    }

    /// Waits until the next line may be read. Also returns when no request has ended for 60 seconds.
    pub(crate) async fn room_to_read(&self) {
        while !self.may_read() {
            let changed = self.load.changed.notified();
            let since = lock(&self.load.counts).since;
            let until = since.unwrap_or_else(Instant::now) + PATIENCE;
            if self.may_read() || timeout_at(until, changed).await.is_err() {
                return;
            }
        }
    }

    /// Waits until a request that is held back may run. If none is held back, waits for ever.
    pub(crate) async fn room_to_run(&self) {
        match self.held.is_empty() {
            true => pending().await,
            false => wait_until(&self.load.changed, || self.has_room()).await,
        }
    }

    /// Returns the next request that was held back and may run now.
    pub(crate) fn next_held(&mut self) -> Option<(ClientRequestMessage, InFlightMark)> {
        if self.held.is_empty() || !self.has_room() {
            return None;
        }
        let (request, bytes) = self.held.pop_front()?;
        self.held_bytes -= bytes;
        let mark = self.load.run(self.bounds, &request, bytes);
        Some((request, mark))
    }

    /// Takes a request whose line has `length` bytes. Returns the request if it runs now. Otherwise holds it back and
    /// returns `None`.
    /// Returns the error, and the request's id, if no room became free in time or the id is in use.
    pub(crate) fn admit(
        &mut self,
        request: ClientRequestMessage,
        length: usize,
    ) -> Result<Option<(ClientRequestMessage, InFlightMark)>, (ErrorData, RequestId)> {
        if self.load.is_in_use(&request.id) {
            return Err((in_use(), request.id));
        }
        let bytes = length + OVERHEAD;
        if self.held.is_empty() && self.has_room() {
            let mark = self.load.run(self.bounds, &request, bytes);
            return Ok(Some((request, mark)));
        }
        if !self.may_read() {
            let message = "too many requests of this connection run, and none of them has ended for a minute; \
                           cancel one, or send this one again later";
            return Err((ErrorData::internal_error(message, None), request.id));
        }
        let by_id = &mut lock(&self.load.counts).by_id;
        by_id.insert(request.id.clone(), KnownRequest::Held);
        self.held_bytes += bytes;
        self.held.push_back((request, bytes));
        Ok(None)
    }

    /// Called when the client cancels a request.
    pub(crate) fn cancelled(&mut self, id: &RequestId) {
        if self.load.cancelled(id) {
            return;
        }
        let counts = &mut *lock(&self.load.counts);
        if let Some(KnownRequest::Held) = counts.by_id.get(id)
            && let Some(at) = self.held.iter().position(|(held, _)| held.id == *id)
            && let Some((_, bytes)) = self.held.remove(at)
        {
            counts.by_id.remove(id);
            self.held_bytes -= bytes;
        }
    }

    /// Returns how many requests were read and have no answer.
    pub(crate) fn unanswered(&self) -> usize {
        lock(&self.load.counts).unanswered + self.held.len()
    }

    /// Waits until every request that was read is answered.
    pub(crate) async fn all_answered(&self) {
        wait_until(&self.load.changed, || self.unanswered() == 0).await;
    }
}

impl Load {
    /// Returns whether an earlier request with this id waits or still runs, even if it is cancelled.
    pub(super) fn is_in_use(&self, id: &RequestId) -> bool {
        lock(&self.counts).by_id.contains_key(id)
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
            id: request.id.clone(),
            bytes,
            load: self.clone(),
            due: AtomicBool::new(due),
            token: OnceLock::new(),
        });
        let known = KnownRequest::Running(running.clone());
        let mut counts = lock(&self.counts);
        counts.requests += 1;
        counts.bytes += bytes;
        counts.unanswered += usize::from(due);
        counts.is_full = !bounds.admit(&counts);
        if counts.is_full {
            counts.since = Some(Instant::now());
        }
        counts.by_id.insert(request.id.clone(), known);
        InFlightMark(running)
    }

    /// Called when the answer to a request is about to be sent. `only` is the mark of the request, where its sender has it.
    /// Returns whether the request waits for an answer: it does not if its client has cancelled it.
    pub(crate) fn answered(&self, id: &RequestId, only: Option<&InFlightMark>) -> bool {
        let mut counts = lock(&self.counts);
        let running = match counts.by_id.get(id) {
            Some(KnownRequest::Running(running)) => running.clone(),
            _ => return false,
        };
        if only.is_some_and(|InFlightMark(own)| !Arc::ptr_eq(own, &running)) {
            return false;
        }
        counts.by_id.remove(id);
        drop(counts);
        running.ends();
        true
    }

    /// Called when the client cancels a request. Returns whether the request runs.
    pub(super) fn cancelled(&self, id: &RequestId) -> bool {
        let mut counts = lock(&self.counts);
        let Some(known) = counts.by_id.get_mut(id) else {
            return false;
        };
        let KnownRequest::Running(running) = known else {
            return false;
        };
        let running = running.clone();
        *known = KnownRequest::Cancelled(Arc::downgrade(&running));
        drop(counts);
        running.ends();
        true
    }

    /// Cancels every request that runs.
    pub(crate) fn cancel_all(&self) {
        let counts = lock(&self.counts);
        let running = counts.by_id.values().filter_map(|known| match known {
            KnownRequest::Running(running) => Some(running.clone()),
            _ => None,
        });
        let running: Vec<_> = running.collect();
        drop(counts);
        running.iter().for_each(|running| running.ends());
    }

    /// Called when the server sends a request to the client.
    pub(crate) fn asks(&self, id: RequestId) {
        lock(&self.counts).asked.insert(id);
    }

    /// Called when the client has answered the server's request `id`, or the server no longer waits. Returns whether
    /// the request was open.
    pub(crate) fn told(&self, id: &RequestId) -> bool {
        lock(&self.counts).asked.remove(id)
    }

    /// Removes the server's own requests that a middleware settles.
    pub(crate) fn forget_asked(&self, settled: impl Fn(&RequestId) -> bool) {
        lock(&self.counts).asked.retain(|id| !settled(id));
    }

    /// Takes one of the server's own requests that has no answer.
    pub(crate) fn next_asked(&self) -> Option<RequestId> {
        let mut counts = lock(&self.counts);
        let id = counts.asked.iter().next()?.clone();
        counts.asked.take(&id)
    }
}

impl InFlightMark {
    /// Sets the token to cancel when the client cancels the request, and when it is answered.
    pub(crate) fn cancels(&self, token: CancellationToken) {
        _ = self.0.token.set(token);
    }
}

impl RunningRequest {
    /// Called when the request is answered or cancelled.
    fn ends(&self) {
        self.settle();
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
            counts.since = Some(Instant::now());
        }
        // A later request may have the id, if this one was answered.
        if let Some(KnownRequest::Cancelled(cancelled)) = counts.by_id.get(&self.id)
            && ptr::eq(cancelled.as_ptr(), self)
        {
            counts.by_id.remove(&self.id);
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
