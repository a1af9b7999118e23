//! What crosses replicas: answers, progress and cancellations for a call that runs elsewhere, and the end of a session.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use axum::response::IntoResponse;
use bytes::Bytes;
use http::StatusCode;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::{
    Replicas,
    count::Count,
    mailbox::{Letter, Mailbox},
    unavailable,
};
use crate::http::endpoint::{Addressed, Refused, addressed_to};
use hooks_core::store::StoreError;

/// How often a replica looks for letters, while sessions live in it.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The longest time that a session takes to accept one letter.
const DELIVERY: Duration = Duration::from_secs(5);

/// The number of letters that are delivered at one time.
pub(super) const DELIVERIES: usize = 256;

/// The pause after the first failure of the store, which doubles, and the longest one.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

static FAILED: Count = Count::of("the shared store failed; the next attempt follows");

static UNDELIVERED: Count =
    Count::of("a letter from another replica found no session, or a session that does not read");

static UNSENT: Count = Count::of("an answer or a cancellation could not be sent to other replicas");

impl Replicas {
    /// Sends on what another replica may wait for.
    ///
    /// # Errors
    ///
    /// Returns the response if the message was only for others.
    pub(in crate::http) async fn forward(&self, session: &str, body: &[u8]) -> Result<(), Refused> {
        let (to, is_done) = match addressed_to(body) {
            Addressed::Answer(Some(of)) | Addressed::Progress(Some(of))
                if of != self.sessions.replica =>
            {
                (Mailbox::of(of), true)
            }
            // The call may run here as well as elsewhere.
            Addressed::Cancel => (Mailbox::of_all(), !self.sessions.is_live(session)),
            _ => return Ok(()),
        };
        let sent = self.send(&to, session, Some(body)).await;
        if let Err(error) = &sent {
            UNSENT.add();
            tracing::debug!(target: "hooks_sdk::http", %error, "a letter could not be sent");
        }
        match (is_done, sent) {
            (false, _) => Ok(()),
            (true, Ok(())) => Err(Box::new(StatusCode::ACCEPTED.into_response())),
            (true, Err(_)) => Err(unavailable()),
        }
    }

    pub(super) async fn send(
        &self,
        to: &Mailbox,
        session: &str,
        message: Option<&[u8]>,
    ) -> Result<(), StoreError> {
        let number = self.letters.fetch_add(1, Ordering::Relaxed);
        let letter = Letter::new(self.sessions.replica, number, session, message)?;
        to.put(&*self.store, letter).await
    }

    /// Reads the letters in a mailbox. It does not return.
    pub(super) async fn read_mail(self: Arc<Replicas>, mut mailbox: Mailbox) {
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut pause = FIRST_PAUSE;
        loop {
            looks.tick().await;
            // A letter concerns a session that lives here.
            if self.sessions.count() == 0 {
                continue;
            }
            let letters = match mailbox.look(&*self.store).await {
                Ok(letters) => letters,
                Err(error) => {
                    FAILED.add();
                    tracing::debug!(target: "hooks_sdk::http", %error, "the shared store failed");
                    sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                    continue;
                }
            };
            pause = FIRST_PAUSE;
            for letter in letters {
                let Ok(permit) = self.deliveries.clone().acquire_owned().await else {
                    return;
                };
                let (replicas, is_own) = (self.clone(), mailbox.is_own);
                // A session that does not read delays no other.
                tokio::spawn(async move {
                    replicas.open(letter, is_own).await;
                    drop(permit);
                });
            }
        }
    }

    async fn open(&self, letter: Letter, is_own: bool) {
        if letter.from == self.sessions.replica.to_string() {
            return;
        }
        let session = &*letter.session;
        let Some(message) = letter.message else {
            return self.sessions.close(session);
        };
        if !self.sessions.is_live(session) {
            // A letter to all concerns a session that lives at few.
            if is_own {
                UNDELIVERED.add();
            }
            return;
        }
        let body = Bytes::copy_from_slice(message.get().as_bytes());
        let delivered = timeout(DELIVERY, self.sessions.deliver(session, body)).await;
        if !delivered.unwrap_or(false) {
            UNDELIVERED.add();
        }
    }
}
