//! The sessions of one machine in one store, and the bytes of a session.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value};

use crate::macros::debugs;
use crate::{
    machine::{CallOutcome, Machine, StateIndex, Step},
    store::{Bytes, EntryVersion, Key, Store, StoreError, Stored, Swap},
};

/// The default time that a session lives after its last call.
///
/// [`Ledger::time_to_live`] describes which calls count.
pub const TIME_TO_LIVE: Duration = Duration::from_secs(24 * 60 * 60);

/// The sessions of one machine in one store; cheap to clone.
///
/// A session that the store does not hold is in the machine's start state. So looking up a session takes no
/// space in the store.
#[derive(Clone)]
pub struct Ledger {
    machine: Machine,
    store: Arc<dyn Store>,
    time_to_live: Duration,
}

/// A session as the ledger found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Session {
    /// The session's state.
    pub state: StateIndex,
    version: Option<EntryVersion>,
    left: Duration,
}

impl Session {
    /// Returns whether the store holds this session.
    pub fn is_kept(&self) -> bool {
        self.version.is_some()
    }
}

impl Ledger {
    /// Makes a ledger that keeps the sessions of `machine` in `store`, for [`TIME_TO_LIVE`] after their last call.
    pub fn new(machine: Machine, store: Arc<dyn Store>) -> Ledger {
        Ledger {
            machine,
            store,
            time_to_live: TIME_TO_LIVE,
        }
    }

    /// Returns whether the sessions are in the memory of this process.
    #[doc(hidden)]
    pub fn is_in_memory(&self) -> bool {
        self.store.in_memory().is_some()
    }

    /// Returns the configured time that a session lives after its last call.
    #[doc(hidden)]
    pub fn lives(&self) -> Duration {
        self.time_to_live
    }

    /// Sets how long a session lives after its last call.
    ///
    /// A session lives at least `time`, and at most a sixteenth longer. These rules say which calls count:
    ///
    /// - A call counts if it was admitted and has ended, even with an error or as a task.
    /// - A refused or cancelled call does not count.
    /// - In a server, a call does not count if no state refuses its tool and the tool moves nothing. The server
    ///   does not look up the session of such a call.
    #[must_use]
    pub fn time_to_live(mut self, time: Duration) -> Ledger {
        self.time_to_live = time;
        self
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the session under `key`.
    ///
    /// # Errors
    ///
    /// The store cannot be reached.
    pub async fn find(&self, key: &Key) -> Result<Session, StoreError> {
        let found = match self.store.in_memory() {
            Some(memory) => memory.find(key),
            None => self.store.load(key).await?,
        };
        Ok(self.session(found))
    }

    /// Returns a session that is not open.
    pub fn unopened(&self) -> Session {
        self.session(None)
    }

    /// Adds the session to the store if the store does not hold it, and returns the session as it is then.
    ///
    /// Call this before the opening tool runs: if the store is full, the tool then does not run in vain. Another
    /// call may have opened the session already.
    ///
    /// # Errors
    ///
    /// The store cannot be reached, or is full.
    pub async fn open(&self, key: &Key) -> Result<Session, StoreError> {
        let start = self.machine.start();
        self.swap(key, &self.unopened(), start)
            .await
            .map(|swap| match swap {
                Swap::Done(version) => self.kept(start, version),
                Swap::Conflict(found) => self.session(found),
            })
    }

    /// Records the end of a call of `tool` that began in `session`. Only a successful call moves the session.
    ///
    /// If another call has changed the session meanwhile, the step is computed again from the session's new state.
    ///
    /// # Errors
    ///
    /// The store cannot be reached, or it is full and does not hold the session yet.
    pub async fn record(
        &self,
        key: &Key,
        session: Session,
        tool: &str,
        input: &Map<String, Value>,
        outcome: CallOutcome,
    ) -> Result<Step<'_>, StoreError> {
        let mut session = session;
        loop {
            let step = self.machine.record(session.state, tool, input, outcome);
            if step.reset {
                self.close(key).await?;
                return Ok(step);
            }
            let lives_long = session.left >= self.time_to_live;
            if !step.moved() && (lives_long || !session.is_kept()) {
                return Ok(step);
            }
            match self.swap(key, &session, step.to).await? {
                Swap::Done(_) => return Ok(step),
                // The concurrent writer has already renewed the time-to-live.
                Swap::Conflict(_) if !step.moved() => return Ok(step),
                Swap::Conflict(found) => session = self.session(found),
            }
        }
    }

    /// Removes a session from the store.
    ///
    /// # Errors
    ///
    /// The store cannot be reached.
    pub async fn close(&self, key: &Key) -> Result<(), StoreError> {
        self.store.delete(key, None).await
    }

    /// Removes a session from the store, unless another call has changed it since it was found.
    ///
    /// # Errors
    ///
    /// The store cannot be reached.
    pub async fn withdraw(&self, key: &Key, session: &Session) -> Result<(), StoreError> {
        match session.version {
            Some(version) => self.store.delete(key, Some(version)).await,
            None => Ok(()),
        }
    }

    /// Returns the session that a client carries in these bytes, or `None` if they are none of this machine's.
    ///
    /// The store does not know this session. Nobody but the caller vouches for the bytes.
    #[doc(hidden)]
    pub fn carried(&self, bytes: &[u8]) -> Option<Session> {
        let state = decode(&self.machine, bytes)?;
        Some(Session {
            state,
            ..self.unopened()
        })
    }

    /// Returns the bytes of a session for a client to carry.
    #[doc(hidden)]
    pub fn carry(&self, state: StateIndex) -> Bytes {
        encode(&self.machine, state)
    }

    async fn swap(
        &self,
        key: &Key,
        session: &Session,
        state: StateIndex,
    ) -> Result<Swap, StoreError> {
        let bytes = encode(&self.machine, state);
        // A sixteenth longer than configured, so that the next calls need not renew it.
        let ttl = self.time_to_live.saturating_add(self.time_to_live / 16);
        let version = session.version;
        match self.store.in_memory() {
            Some(memory) => memory.swap(key, version, bytes, ttl),
            None => self.store.compare_and_swap(key, version, bytes, ttl).await,
        }
    }

    fn session(&self, found: Option<Stored>) -> Session {
        let Some(stored) = found else {
            return Session {
                state: self.machine.start(),
                version: None,
                left: Duration::ZERO,
            };
        };
        let state = decode(&self.machine, stored.bytes.as_slice()).unwrap_or_else(|| {
            tracing::warn!(
                target: "hooks_sdk::session",
                "another program stored this session in a state that this program does not know; the session begins again"
            );
            self.machine.start()
        });
        Session {
            left: stored.left,
            ..self.kept(state, stored.version)
        }
    }

    fn kept(&self, state: StateIndex, version: EntryVersion) -> Session {
        Session {
            state,
            version: Some(version),
            left: self.time_to_live,
        }
    }
}

debugs!(Ledger {
    machine,
    time_to_live
});

/// The format of the bytes. A session in another format was stored by another version of this SDK.
const FORMAT: u8 = 2;

/// Returns the stored form of a session: its state by name, so that a program with more states can still read it.
fn encode(machine: &Machine, state: StateIndex) -> Bytes {
    Bytes::of(&[&[FORMAT], machine.name(state).as_bytes()])
}

/// Returns `None` if the bytes have another format, or name a state that the machine does not have.
fn decode(machine: &Machine, bytes: &[u8]) -> Option<StateIndex> {
    let (&FORMAT, name) = bytes.split_first()? else {
        return None;
    };
    let is_named = |&state: &StateIndex| machine.name(state).as_bytes() == name;
    machine.states().find(is_named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_back_and_other_bytes_are_not_read() {
        let machine = Machine::standard().build().unwrap();
        for state in machine.states() {
            let bytes = encode(&machine, state);
            assert_eq!(decode(&machine, bytes.as_slice()), Some(state));
        }
        for bytes in [
            &b""[..],
            b"\x02",
            b"\x01working",
            b"\x02resting",
            b"\x02\xFF",
        ] {
            assert_eq!(decode(&machine, bytes), None);
        }
    }
}
