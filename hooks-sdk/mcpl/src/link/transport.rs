//! What a connection needs of its transport: requests with answers, notifications, and chunks.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::{ErrorObject, wire::InferenceChunk};
use hooks_core::internal::debugs;

/// The most bytes of an inference that may wait for their reader. A reader that is further behind misses chunks.
const MAX_QUEUED: usize = 16 * 1024 * 1024;

/// The cost of one chunk beside its text, in bytes.
const CHUNK: usize = 64;

/// Sends messages to the host.
#[doc(hidden)]
pub struct Wire {
    pub request: Box<dyn Fn(Outgoing) -> Sent + Send + Sync>,
    pub notify: Box<dyn Fn(&'static str, Value) -> Notified + Send + Sync>,
}

/// A request in progress.
pub(crate) type Sent = BoxFuture<'static, Result<Value, WireError>>;

/// A notification in progress.
pub(crate) type Notified = BoxFuture<'static, Result<(), WireError>>;

/// A request to the host.
#[derive(Debug)]
#[doc(hidden)]
pub struct Outgoing {
    pub method: &'static str,
    pub params: Value,
    pub deadline: Duration,
    /// Receives the chunks that belong to the request.
    pub chunks: Option<ChunkSink>,
}

/// Why a request has no result.
#[derive(Debug)]
#[doc(hidden)]
pub enum WireError {
    Refused(ErrorObject),
    TimedOut,
    /// The protocol does not have requests to the host.
    Forbidden,
    Closed,
}

debugs!(Wire {});

/// Takes the chunks of one inference, in the order of their arrival.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct ChunkSink {
    to: mpsc::UnboundedSender<InferenceChunk>,
    queued: Arc<AtomicUsize>,
}

/// The reading end of [`ChunkSink`].
#[derive(Debug)]
pub(super) struct Chunked {
    pub(super) from: mpsc::UnboundedReceiver<InferenceChunk>,
    queued: Arc<AtomicUsize>,
}

impl ChunkSink {
    pub(super) fn new() -> (ChunkSink, Chunked) {
        let (to, from) = mpsc::unbounded_channel();
        let queued = Arc::new(AtomicUsize::new(0));
        let chunks = ChunkSink {
            to,
            queued: queued.clone(),
        };
        (chunks, Chunked { from, queued })
    }

    #[doc(hidden)]
    pub fn push(&self, chunk: InferenceChunk) {
        let size = size(&chunk);
        if self.queued.load(Ordering::Relaxed) + size > MAX_QUEUED {
            tracing::warn!(
                target: "hooks_sdk::mcpl",
                index = chunk.index,
                "a chunk is dropped: {MAX_QUEUED} bytes of the inference wait for their reader"
            );
            return;
        }
        self.queued.fetch_add(size, Ordering::Relaxed);
        // If the reader is dropped, so is the chunk.
        _ = self.to.send(chunk);
    }
}

impl Chunked {
    pub(super) fn taken(&self, chunk: &InferenceChunk) {
        self.queued.fetch_sub(size(chunk), Ordering::Relaxed);
    }
}

fn size(chunk: &InferenceChunk) -> usize {
    chunk.delta.len() + CHUNK
}
