//! Writes events to the log behind the back of the sessions: no message waits for the store.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::mpsc::{Receiver, Sender, channel},
    time::{Instant, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{EVENT_TTL, Pause, count::Count, in_time};
use hooks_core::store::{Bytes, Key, LARGEST_VALUE, Log, StoreError};

/// The number of streams that are written at one time. The events of one stream keep their order.
const LANES: usize = 32;

/// The number of events that wait in one lane.
const LANE: usize = 512;

/// The number of bytes that wait in all lanes.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// How long an event waits for a store that fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long the last events are written after the server has ended.
const LAST_WORDS: Duration = Duration::from_secs(2);

pub(super) static UNWRITTEN: Count = Count::of(
    "an event was not written to the log; nobody can resume to it, and no other replica sends it",
);

/// The queues of the events that have to be written.
pub(super) struct EventWriter {
    lanes: Vec<Sender<QueuedEvent>>,
    hasher: RandomState,
    waiting: Arc<AtomicUsize>,
}

struct QueuedEvent {
    stream: Key,
    bytes: Bytes,
    since: Instant,
}

impl EventWriter {
    pub(super) fn new(log: &Arc<dyn Log>, ends: &CancellationToken) -> EventWriter {
        let waiting = Arc::new(AtomicUsize::new(0));
        let lane = |_| {
            let (lane, lines) = channel(LANE);
            let (log, ends, waiting) = (log.clone(), ends.clone(), waiting.clone());
            tokio::spawn(write(log, lines, waiting, ends));
            lane
        };
        EventWriter {
            lanes: (0..LANES).map(lane).collect(),
            hasher: RandomState::new(),
            waiting,
        }
    }

    /// Queues an event. Returns `false` if the queue is full or the event too large: it is then counted, not written.
    pub(super) fn push(&self, stream: Key, bytes: Bytes) -> bool {
        let size = bytes.as_slice().len();
        let lane = &self.lanes[self.hasher.hash_one(&stream) as usize % LANES];
        let waiting = self.waiting.fetch_add(size, Ordering::Relaxed);
        let line = QueuedEvent {
            stream,
            bytes,
            since: Instant::now(),
        };
        let pushed =
            size <= LARGEST_VALUE && waiting + size <= MOST_BYTES && lane.try_send(line).is_ok();
        if !pushed {
            self.waiting.fetch_sub(size, Ordering::Relaxed);
            UNWRITTEN.add();
        }
        pushed
    }
}

async fn write(
    log: Arc<dyn Log>,
    mut lines: Receiver<QueuedEvent>,
    waiting: Arc<AtomicUsize>,
    ends: CancellationToken,
) {
    let mut work = Box::pin(async {
        while let Some(line) = lines.recv().await {
            let size = line.bytes.as_slice().len();
            append(&*log, line).await;
            waiting.fetch_sub(size, Ordering::Relaxed);
        }
    });
    if ends.run_until_cancelled(&mut work).await.is_none() {
        _ = timeout(LAST_WORDS, work).await;
    }
}

/// Appends an event, again and again while the store fails. An event that is written twice is recognised by its number.
async fn append(log: &dyn Log, line: QueuedEvent) {
    let mut pause = Pause::default();
    loop {
        let append = log.append(&line.stream, line.bytes.clone(), EVENT_TTL);
        match in_time(append).await {
            Ok(_) => return,
            Err(error @ StoreError::Unreachable(_)) if line.since.elapsed() < PATIENCE => {
                pause.after(&error).await;
            }
            Err(error) => {
                tracing::debug!(target: "hooks_sdk::http", %error, "the log did not take an event");
                return UNWRITTEN.add();
            }
        }
    }
}
