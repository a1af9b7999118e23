//! Letters between replicas: answers, progress, cancellations, and the end of a session.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::{sync::Semaphore, time::timeout};

use super::{Replicas, count::Count, entry::Letter, in_time};
use crate::http::transport::{ReplicaId, SessionManager};
use hooks_core::store::{Key, LogPosition, StoreError};

/// How long a letter waits for its replica.
const MAIL_TTL: Duration = Duration::from_secs(120);

/// The longest time that a session takes to accept one letter.
const DELIVERY: Duration = Duration::from_secs(5);

/// The number of letters that are delivered at one time.
const DELIVERIES: usize = 256;

static UNDELIVERED: Count =
    Count::of("a letter from another replica found no session, or a session that does not read");
static UNREADABLE: Count = Count::of("a letter from another replica cannot be read");

/// The stream that all replicas read.
const TO_ALL: &[u8] = b"hooks-sdk/http/mail/all";

impl Replicas {
    /// Sends a client's message to the replica that waits for it.
    pub(super) async fn forward(
        &self,
        to: ReplicaId,
        session: &str,
        body: &[u8],
    ) -> Result<(), StoreError> {
        self.send(&mailbox(to), session, body).await
    }

    /// Sends a client's cancellation to all replicas.
    pub(super) async fn broadcast(&self, session: &str, body: &[u8]) -> Result<(), StoreError> {
        self.send(&Key::new(TO_ALL), session, body).await
    }

    async fn send(&self, to: &Key, session: &str, body: &[u8]) -> Result<(), StoreError> {
        let origin = self.0.origin;
        let letter = Letter::Message {
            origin,
            session,
            body,
        };
        in_time(self.0.log.append(to, letter.bytes(), MAIL_TTL)).await?;
        Ok(())
    }

    /// Tells all replicas that a session has ended. A replica that does not hear it finds it in the store.
    pub(super) async fn announce_end(&self, session: &str) {
        let letter = Letter::Ended { session }.bytes();
        let sent = in_time(self.0.log.append(&Key::new(TO_ALL), letter, MAIL_TTL)).await;
        if let Err(error) = sent {
            tracing::warn!(
                target: "hooks_sdk::http",
                %error, "the end of a session was not announced to other replicas"
            );
        }
    }

    /// Reads the letters to this replica and to all replicas, until the replica ends.
    pub(super) fn follow_mail(&self, manager: &Arc<SessionManager>) {
        let own = mailbox(ReplicaId(self.0.origin));
        let deliveries = Arc::new(Semaphore::new(DELIVERIES));
        for (stream, to_all) in [(own, false), (Key::new(TO_ALL), true)] {
            let (replicas, manager, deliveries) =
                (self.clone(), manager.clone(), deliveries.clone());
            tokio::spawn(async move {
                let ends = replicas.0.ends.clone();
                let work = replicas.read_mail(stream, to_all, manager, deliveries);
                ends.run_until_cancelled(work).await;
            });
        }
    }

    async fn read_mail(
        self,
        stream: Key,
        to_all: bool,
        manager: Arc<SessionManager>,
        deliveries: Arc<Semaphore>,
    ) {
        // What is older than this process concerns none of its sessions, and a letter that comes first is not missed.
        let mut after = LogPosition::START;
        loop {
            for entry in self.batch(&stream, after).await {
                after = entry.position;
                let Ok(permit) = deliveries.clone().acquire_owned().await else {
                    return;
                };
                let (replicas, manager) = (self.clone(), manager.clone());
                // A session that does not read delays no other.
                tokio::spawn(async move {
                    match Letter::of(&entry.bytes) {
                        Some(letter) => replicas.open(letter, to_all, &manager).await,
                        None => UNREADABLE.add(),
                    }
                    drop(permit);
                });
            }
        }
    }

    async fn open(&self, letter: Letter<'_>, to_all: bool, manager: &SessionManager) {
        match letter {
            Letter::Ended { session } => self.forget(manager, session).await,
            Letter::Message { origin, .. } if origin == self.0.origin => {}
            Letter::Message { session, body, .. } => {
                // The replica that received the message has not shown it to the guardian.
                let body = Bytes::copy_from_slice(body);
                let Some(body) = manager.decided(session, body).await else {
                    return;
                };
                let delivered = timeout(DELIVERY, manager.deliver(session, body)).await;
                // A letter to all concerns a session that lives at few.
                if !delivered.unwrap_or(false) && !to_all {
                    UNDELIVERED.add();
                }
            }
        }
    }
}

fn mailbox(ReplicaId(replica): ReplicaId) -> Key {
    Key::new(&[&b"hooks-sdk/http/mail/to/"[..], &replica].concat())
}
