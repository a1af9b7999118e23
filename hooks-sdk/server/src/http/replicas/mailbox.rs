//! Letters between replicas, and the mailboxes in the store that hold them until their replicas look.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::time::sleep;

use super::{count::Count, in_time};
use crate::server::carried::ReplicaId;
use hooks_core::store::{Bytes, EntryVersion, Key, Store, StoreError, Stored, Swap};

/// How long a letter waits for its replicas.
const MAIL_TTL: Duration = Duration::from_secs(60);

/// The most bytes of one letter to all replicas, and of all of them. Beyond that, the oldest ones are dropped.
const LARGEST_TO_ALL: usize = 16 * 1024;
const MOST_TO_ALL: usize = 512 * 1024;

/// How often a letter is offered while other replicas write to the same mailbox, or while that is full.
const ATTEMPTS: usize = 32;

/// The pause until the replica has emptied a mailbox that is full.
const FULL: Duration = Duration::from_millis(100);

static UNREADABLE: Count = Count::of("the letters of other replicas cannot be read");

/// A letter from one replica to another, or to all.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Letter {
    /// The replica that wrote the letter.
    pub(super) from: String,
    /// Ascends among the letters of one replica.
    pub(super) number: u64,
    /// When the letter was written, in seconds since 1970.
    at: u64,
    pub(super) session: String,
    /// A message of the session's client. Without one, the session has ended.
    pub(super) message: Option<Box<RawValue>>,
}

impl Letter {
    pub(super) fn new(
        from: ReplicaId,
        number: u64,
        session: &str,
        message: Option<&[u8]>,
    ) -> Result<Letter, StoreError> {
        let message = message.map(serde_json::from_slice).transpose();
        Ok(Letter {
            from: from.to_string(),
            number,
            at: now(),
            session: session.to_owned(),
            message: message.map_err(StoreError::unreachable)?,
        })
    }

    fn is(&self, name: &Option<(String, u64)>) -> bool {
        let is_this = |(from, number): &(String, u64)| *from == self.from && *number == self.number;
        name.as_ref().is_some_and(is_this)
    }

    /// Returns the letter's bytes, without those around its members.
    fn weight(&self) -> usize {
        let message = self.message.as_ref();
        self.session.len() + message.map_or(0, |message| message.get().len())
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}

/// Reads the letters in a mailbox.
fn letters(bytes: &Bytes) -> Vec<Letter> {
    let read = serde_json::from_slice(bytes.as_slice());
    read.unwrap_or_else(|_| {
        UNREADABLE.add();
        Vec::new()
    })
}

/// A mailbox in the store, as the replica sees it that reads its letters.
pub(super) struct Mailbox {
    key: Key,
    /// Whether the letters are to this replica alone. It takes them out; otherwise the writers do when they are old.
    pub(super) is_own: bool,
    /// What this replica has seen: the version of the mailbox, and its last letter.
    version: Option<EntryVersion>,
    last: Option<(String, u64)>,
}

impl Mailbox {
    /// The letters to one replica.
    pub(super) fn of(ReplicaId(replica): ReplicaId) -> Mailbox {
        let key = [&b"hooks-sdk/http/mail/to/"[..], &replica].concat();
        Mailbox::at(Key::new(&key), true)
    }

    /// The letters to all replicas.
    pub(super) fn of_all() -> Mailbox {
        Mailbox::at(Key::new(b"hooks-sdk/http/mail/all"), false)
    }

    fn at(key: Key, is_own: bool) -> Mailbox {
        Mailbox {
            key,
            is_own,
            version: None,
            last: None,
        }
    }

    /// Returns the letters that came since the last look.
    pub(super) async fn look(&mut self, store: &dyn Store) -> Result<Vec<Letter>, StoreError> {
        let Some(Stored { bytes, version, .. }) = in_time(store.load(&self.key)).await? else {
            return Ok(Vec::new());
        };
        if self.version.replace(version) == Some(version) {
            return Ok(Vec::new());
        }
        let mut found = letters(&bytes);
        // Writers add behind and drop in front. So everything is new if the last letter is not there.
        if let Some(seen) = found.iter().position(|letter| letter.is(&self.last)) {
            found.drain(..=seen);
        }
        if let Some(last) = found.last() {
            self.last = Some((last.from.clone(), last.number));
        }
        if self.is_own
            && let Err(error) = in_time(store.delete(&self.key, Some(version))).await
        {
            tracing::debug!(
                target: "hooks_sdk::http",
                %error, "a mailbox was not emptied"
            );
        }
        Ok(found)
    }

    /// Puts a letter into the mailbox.
    pub(super) async fn put(&self, store: &dyn Store, letter: Letter) -> Result<(), StoreError> {
        if !self.is_own && letter.weight() > LARGEST_TO_ALL {
            return Err(StoreError::TooLarge(letter.weight()));
        }
        let mut present: Option<Stored> = None;
        for _ in 0..ATTEMPTS {
            let mut all = present
                .as_ref()
                .map_or_else(Vec::new, |p| letters(&p.bytes));
            all.retain(|old| old.at + MAIL_TTL.as_secs() >= letter.at);
            all.push(letter.clone());
            if !self.is_own {
                let mut room = MOST_TO_ALL;
                let newest = all.iter().rev().take_while(|letter| {
                    let left = room.checked_sub(letter.weight());
                    room = left.unwrap_or_default();
                    left.is_some()
                });
                let kept = newest.count();
                all.drain(..all.len() - kept);
            }
            let bytes = serde_json::to_vec(&all).map_err(StoreError::unreachable)?;
            let expected = present.as_ref().map(|present| present.version);
            let bytes = Bytes::from(&bytes[..]);
            let swap = store.compare_and_swap(&self.key, expected, bytes, MAIL_TTL);
            match in_time(swap).await {
                Ok(Swap::Done(_)) => return Ok(()),
                Ok(Swap::Conflict(now)) => present = now,
                Err(StoreError::TooLarge(_)) if all.len() > 1 => {
                    sleep(FULL).await;
                    present = in_time(store.load(&self.key)).await?;
                }
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::unreachable(
            "other replicas wrote to the mailbox all the time",
        ))
    }
}
