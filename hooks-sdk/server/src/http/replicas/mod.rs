//! Many replicas of one server: sessions, answers and cancellations that cross processes.
//!
//! - [`layer`] stands in front of rmcp's service: whose session is it, has it ended, who waits for this answer.
//! - [`sessions`] keeps the handshakes of sessions in the store, so that another replica can go on with them.
//! - [`forwarding`] carries what another replica waits for, in the [`mailbox`]es of the store.

mod count;
mod forwarding;
mod handshake;
mod known;
mod layer;
mod mailbox;
mod refusal;
mod sessions;
#[cfg(test)]
mod tests;

use std::{
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use rmcp::transport::streamable_http_server::session::SessionStore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use self::known::ServedSessions;
pub(in crate::http) use self::layer::ReplicasLayer;
use crate::http::transport::{ReplicaId, SessionManager};
use hooks_core::{
    internal::debugs,
    store::{Store, StoreError},
};

/// The longest time that a request waits for the store.
const STORE_DEADLINE: Duration = Duration::from_secs(1);

/// What an author may set.
#[derive(Clone, Debug)]
pub(in crate::http) struct ReplicaOptions {
    /// How long a session lives after its last request.
    pub(in crate::http) session_ttl: Duration,
    /// The largest body of a request within a session, in bytes.
    pub(in crate::http) largest_body: usize,
}

impl Default for ReplicaOptions {
    fn default() -> ReplicaOptions {
        ReplicaOptions {
            session_ttl: Duration::from_secs(24 * 3600),
            largest_body: 4 * 1024 * 1024,
        }
    }
}

/// One replica of a server: what it shares with the others, and what it knows of its own sessions.
#[derive(Clone)]
pub(in crate::http) struct Replicas(Arc<SharedReplicas>);

struct SharedReplicas {
    /// Names this replica in its letters.
    replica: ReplicaId,
    store: Arc<dyn Store>,
    settings: ReplicaOptions,
    /// The number of letters that this replica has written.
    letters: AtomicU64,
    known: ServedSessions,
    ends: CancellationToken,
}

impl Replicas {
    /// Makes a replica. Its tasks end with `ends`.
    pub(in crate::http) fn new(
        replica: ReplicaId,
        store: Arc<dyn Store>,
        settings: ReplicaOptions,
        ends: CancellationToken,
    ) -> Replicas {
        Replicas(Arc::new(SharedReplicas {
            replica,
            store,
            settings,
            letters: AtomicU64::new(0),
            known: ServedSessions::default(),
            ends,
        }))
    }

    /// Returns the store of handshakes, for the configuration of rmcp's service.
    pub(in crate::http) fn session_store(&self) -> Arc<dyn SessionStore> {
        Arc::new(self.clone())
    }

    /// Returns the layer in front of the transport and rmcp's service, and starts to read what other replicas send. Call it in a
    /// tokio runtime.
    pub(in crate::http) fn layer(&self, manager: Arc<SessionManager>) -> ReplicasLayer {
        self.follow_mail(&manager);
        ReplicasLayer::new(self.clone(), manager)
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
