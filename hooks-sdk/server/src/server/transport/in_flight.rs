//! Counts the requests that were read and not yet answered, and holds back those beyond the limit.

use std::{
    collections::{HashSet, VecDeque},
    fmt,
    sync::Arc,
    time::Duration,
};

use rmcp::model::{ClientRequest, JsonRpcRequest, RequestId};
use tokio::time::timeout_at;

use super::load::{Bounds, InFlightMark, Load};
use crate::server::lock;

pub(in crate::server) type ClientRequestMessage = JsonRpcRequest<ClientRequest>;

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

/// The requests of one connection, from their arrival to their answers.
#[derive(Default)]
pub(in crate::server) struct InFlight {
    pub(in crate::server) bounds: Bounds,
    pub(in crate::server) load: Arc<Load>,
    held: VecDeque<(ClientRequestMessage, usize)>,
    held_ids: HashSet<RequestId>,
    held_bytes: usize,
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

impl fmt::Debug for InFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InFlight")
            .field("bounds", &self.bounds)
            .field("running", &lock(&self.load.counts).requests)
            .field("held", &self.held.len())
            .finish_non_exhaustive()
    }
}
