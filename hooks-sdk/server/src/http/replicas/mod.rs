//! Many replicas of one server: sessions, answers and cancellations that cross processes.
//!
//! - [`layer`] is asked before the endpoint: whose session is it, has it ended, who waits for this answer.
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

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use self::known::ServedSessions;
pub(in crate::http) use self::layer::PassedReplicas;
use crate::server::carried::ReplicaId;
use hooks_core::{
    internal::debugs,
    store::{Store, StoreError},
};

/// The longest time that a request waits for the store.
const STORE_DEADLINE: Duration = Duration::from_secs(1);

/// How long a session lives in the store after its last request.
const SESSION_TTL: Duration = Duration::from_secs(24 * 3600);

/// One replica of a server: what it shares with the others, and what it knows of its own sessions.
#[derive(Clone)]
pub(in crate::http) struct Replicas(Arc<SharedReplicas>);

struct SharedReplicas {
    /// Names this replica in its letters.
    replica: ReplicaId,
    store: Arc<dyn Store>,
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
        ends: CancellationToken,
    ) -> Replicas {
        Replicas(Arc::new(SharedReplicas {
            replica,
            store,
            letters: AtomicU64::new(0),
            known: ServedSessions::default(),
            ends,
        }))
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
