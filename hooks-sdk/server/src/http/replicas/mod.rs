//! Many replicas of one server: sessions, events and answers that cross processes.
//!
//! - [`layer`] stands in front of rmcp's service: whose session is it, has it ended, who waits for this answer.
//! - [`sessions`] keeps the handshakes of sessions in the store, so that another replica can go on with them.
//! - [`mail`] carries what another replica waits for, over the log.
//! - [`events`], [`writer`], [`listen`] and [`replay`] carry the events of streams, over the log.

mod count;
mod entry;
mod event_id;
mod events;
mod forwarding;
mod handshake;
mod known;
mod layer;
mod listen;
mod message;
mod refusal;
mod replay;
mod sessions;
mod sse;
#[cfg(test)]
mod tests;
mod writer;

use std::{
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use futures::future::BoxFuture;
use rmcp::{
    model::RequestStateCodec,
    transport::streamable_http_server::session::{EventStore, SessionStore},
};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

pub(in crate::http) use self::layer::ReplicasLayer;
use self::{
    count::Count, entry::Origin, known::ServedSessions, listen::ReplicaListeners,
    writer::EventWriter,
};
use crate::http::transport::{ReplicaId, SessionManager};
use hooks_core::{
    internal::debugs,
    store::{Key, Log, LogEntry, LogPosition, Store, StoreError},
};

/// The longest time that a request waits for the store.
const STORE_DEADLINE: Duration = Duration::from_secs(1);

/// The time after which an event is gone from the log, unless its stream has a newer one. An event id lives as long.
const EVENT_TTL: Duration = Duration::from_secs(600);

/// The longest time until the log is read again.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The number of entries that one read of the log returns.
const PAGE: usize = 256;

/// What an author may set.
#[derive(Clone, Debug)]
pub(in crate::http) struct ReplicaOptions {
    /// Whether a client may resume a stream of events whose connection dropped.
    pub(in crate::http) resumable: bool,
    /// How long a session lives after its last request.
    pub(in crate::http) session_ttl: Duration,
    /// The largest body of a request within a session, in bytes.
    pub(in crate::http) largest_body: usize,
}

impl Default for ReplicaOptions {
    fn default() -> ReplicaOptions {
        ReplicaOptions {
            resumable: false,
            session_ttl: Duration::from_secs(24 * 3600),
            largest_body: 4 * 1024 * 1024,
        }
    }
}

/// One replica of a server: what it shares with the others, and what it knows of its own sessions.
#[derive(Clone)]
pub(in crate::http) struct Replicas(Arc<SharedReplicas>);

struct SharedReplicas {
    store: Arc<dyn Store>,
    log: Arc<dyn Log>,
    keys: Arc<RequestStateCodec>,
    settings: ReplicaOptions,
    /// Names this replica in the entries that it writes.
    origin: Origin,
    /// The number of the last event of this replica, over all streams.
    last_event: AtomicU64,
    known: ServedSessions,
    listeners: ReplicaListeners,
    writer: EventWriter,
    ends: CancellationToken,
}

impl Replicas {
    /// Starts a replica, inside a tokio runtime. Its tasks end with `ends`.
    pub(in crate::http) fn new(
        replica: ReplicaId,
        store: Arc<dyn Store>,
        log: Arc<dyn Log>,
        keys: Arc<RequestStateCodec>,
        settings: ReplicaOptions,
        ends: CancellationToken,
    ) -> Replicas {
        let replicas = Replicas(Arc::new(SharedReplicas {
            writer: EventWriter::new(&log, &ends),
            store,
            log,
            keys,
            settings,
            origin: replica.0,
            last_event: AtomicU64::new(0),
            known: ServedSessions::default(),
            listeners: ReplicaListeners::default(),
            ends,
        }));
        tokio::spawn(replicas.clone().write_owed());
        replicas
    }

    /// Returns the store of handshakes, for the configuration of rmcp's service.
    pub(in crate::http) fn session_store(&self) -> Arc<dyn SessionStore> {
        Arc::new(self.clone())
    }

    /// Returns the store of events, for rmcp's sessions.
    pub(in crate::http) fn event_store(&self) -> Arc<dyn EventStore> {
        Arc::new(self.clone())
    }

    /// Returns the layer in front of the transport and rmcp's service, and starts to read what other replicas send.
    pub(in crate::http) fn layer(&self, manager: Arc<SessionManager>) -> ReplicasLayer {
        self.follow_mail(&manager);
        ReplicasLayer::new(self.clone(), manager)
    }

    /// Waits for entries of a stream after `after`, at most [`PAGE`]. Waits longer and longer while the log fails.
    fn batch(&self, stream: &Key, after: LogPosition) -> BoxFuture<'static, Vec<LogEntry>> {
        let (log, stream) = (self.0.log.clone(), stream.clone());
        Box::pin(async move {
            let mut pause = Pause::default();
            loop {
                let found = match in_time(log.read(&stream, after, PAGE)).await {
                    Ok(entries) if !entries.is_empty() => return entries,
                    // A lost notification delays an entry, and loses none.
                    Ok(_) => timeout(LONGEST_WAIT, log.changed(&stream, after))
                        .await
                        .unwrap_or(Ok(())),
                    Err(error) => Err(error),
                };
                match found {
                    Ok(()) => pause = Pause::default(),
                    Err(error) => pause.after(&error).await,
                }
            }
        })
    }
}

debugs!(Replicas {});

/// Waits for the store, at most [`STORE_DEADLINE`].
async fn in_time<T>(work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    match timeout(STORE_DEADLINE, work).await {
        Ok(done) => done,
        Err(_) => Err(StoreError::unreachable(format!(
            "it did not answer within {STORE_DEADLINE:?}"
        ))),
    }
}

static FAILED: Count = Count::of("the shared store failed; the next attempt follows");

/// The pause before the next attempt: 50 ms, then twice as long each time, up to 5 s.
struct Pause(Duration);

impl Default for Pause {
    fn default() -> Pause {
        Pause(Duration::from_millis(50))
    }
}

impl Pause {
    async fn after(&mut self, error: &StoreError) {
        FAILED.add();
        tracing::debug!(target: "hooks_sdk::http", %error, "the shared store failed");
        sleep(self.0).await;
        self.0 = (self.0 * 2).min(Duration::from_secs(5));
    }
}
