//! Many replicas of one server: sessions, answers and cancellations that cross processes.
//!
//! - [`sessions`] keeps the handshakes of sessions in the store, so that another replica can go on with them.
//! - [`forwarding`] carries what another replica waits for, in the [`mailbox`]es of the store.

mod count;
mod forwarding;
mod mailbox;
mod sessions;
#[cfg(test)]
mod tests;

use std::{
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use http::{Method, StatusCode};
use tokio::{sync::Semaphore, time::timeout};
use tokio_util::sync::CancellationToken;

use self::{forwarding::DELIVERIES, mailbox::Mailbox};
use super::endpoint::{Refused, SessionMap};
use hooks_core::{
    internal::debugs,
    store::{Store, StoreError},
};
use hooks_http::refusal::HttpRefusal;

/// The longest time that a request waits for the store.
const STORE_DEADLINE: Duration = Duration::from_secs(1);

/// How long a session lives in the store after its last request.
const SESSION_TTL: Duration = Duration::from_secs(24 * 3600);

/// One replica of a server: what it shares with the others.
pub(in crate::http) struct Replicas {
    store: Arc<dyn Store>,
    /// The sessions that live here.
    sessions: Arc<SessionMap>,
    /// The number of letters that this replica has written.
    letters: AtomicU64,
    /// The letters that are delivered at one time.
    deliveries: Arc<Semaphore>,
}

impl Replicas {
    /// Makes a replica. It reads the letters of others until `ends`.
    pub(in crate::http) fn new(
        store: Arc<dyn Store>,
        sessions: Arc<SessionMap>,
        ends: &CancellationToken,
    ) -> Arc<Replicas> {
        let replicas = Arc::new(Replicas {
            store,
            sessions,
            letters: AtomicU64::new(0),
            deliveries: Arc::new(Semaphore::new(DELIVERIES)),
        });
        for mailbox in [Mailbox::of(replicas.sessions.replica), Mailbox::of_all()] {
            let work = replicas.clone().read_mail(mailbox);
            tokio::spawn(ends.clone().run_until_cancelled_owned(work));
        }
        replicas
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

/// The store does not answer, and this replica cannot go on without it. The answer tells nothing of the store.
fn unavailable() -> Refused {
    let sentence = "the server is unavailable for a moment: send the request again";
    let refusal = HttpRefusal::new(StatusCode::SERVICE_UNAVAILABLE, sentence);
    Box::new(refusal.response(&Method::POST))
}
