//! Sessions of one machine, kept in a store.

use std::{fmt, sync::Arc, time::Duration};

use serde_json::{Map, Value};

use super::record::Record;
use crate::{
    core::session::{Machine, Outcome, StateIndex, Step},
    store::{EntryVersion, Key, Store, StoreError, Stored, Swap},
};

/// How long a session lives after its last call, unless configured.
///
/// See [`Ledger::time_to_live`] for the calls that count.
pub const TIME_TO_LIVE: Duration = Duration::from_secs(24 * 60 * 60);

/// Runs sessions on a machine over a store; cheap to clone.
///
/// A session that the store does not hold is in the machine's start state, so that asking costs no room.
#[derive(Clone)]
pub struct Ledger {
    machine: Machine,
    store: Arc<dyn Store>,
    time_to_live: Duration,
}

/// A session as it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Session {
    /// The state it is in.
    pub state: StateIndex,
    /// The marks set on it, such as what its agent has already been told.
    pub marks: u64,
    version: Option<EntryVersion>,
    left: Duration,
}

impl Session {
    /// Whether the store holds it.
    pub fn is_kept(&self) -> bool {
        self.version.is_some()
    }
}

impl Ledger {
    /// Runs sessions on `machine`, kept in `store` for [`TIME_TO_LIVE`] after their last call.
    pub fn new(machine: Machine, store: Arc<dyn Store>) -> Ledger {
        Ledger {
            machine,
            store,
            time_to_live: TIME_TO_LIVE,
        }
    }

    /// How long a session lives after its last call, as it was set.
    #[cfg(feature = "server")]
    pub(crate) fn lives(&self) -> Duration {
        self.time_to_live
    }

    /// Sets how long a session lives after its last call.
    ///
    /// It lives at least so long, and at most a sixteenth longer. A call counts when it was admitted and has
    /// ended, also with an error or as a task. A refused or cancelled call does not count, and in a server
    /// neither does a call of a tool that no state refuses and that moves nothing: its session is not looked at.
    #[must_use]
    pub fn time_to_live(mut self, time: Duration) -> Ledger {
        self.time_to_live = time;
        self
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The session under `key`.
    ///
    /// # Errors
    ///
    /// That the store cannot be reached.
    pub async fn find(&self, key: &Key) -> Result<Session, StoreError> {
        let found = match self.store.in_memory() {
            Some(memory) => memory.find(key),
            None => self.store.load(key).await?,
        };
        Ok(self.session(found))
    }

    /// A session that nobody has opened.
    pub fn unopened(&self) -> Session {
        self.session(None)
    }

    /// Makes sure that the store holds the session, so that its first call does not run in vain when the
    /// store is full. Gives the session as it is now, which may have been opened by another call.
    ///
    /// # Errors
    ///
    /// That the store cannot be reached, or is full.
    pub async fn open(&self, key: &Key) -> Result<Session, StoreError> {
        let record = Record::new(&self.machine);
        self.swap(key, &self.unopened(), record)
            .await
            .map(|swap| match swap {
                Swap::Done(version) => self.kept(record, version),
                Swap::Conflict(found) => self.session(found),
            })
    }

    /// Records a call that began when `session` was found; only success moves it.
    ///
    /// When another call has changed the session meanwhile, the step is computed again from what stands
    /// there now.
    ///
    /// # Errors
    ///
    /// That the store cannot be reached, or has no room for a session that it does not hold.
    pub async fn record(
        &self,
        key: &Key,
        session: Session,
        tool: &str,
        input: &Map<String, Value>,
        outcome: Outcome,
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
            let record = Record {
                state: step.to,
                marks: session.marks,
            };
            match self.swap(key, &session, record).await? {
                Swap::Done(_) => return Ok(step),
                // The concurrent writer has already renewed the time-to-live.
                Swap::Conflict(_) if !step.moved() => return Ok(step),
                Swap::Conflict(found) => session = self.session(found),
            }
        }
    }

    /// Sets marks on a session that the store holds; gives those that were not set before.
    ///
    /// # Errors
    ///
    /// That the store cannot be reached.
    pub async fn mark(&self, key: &Key, session: Session, marks: u64) -> Result<u64, StoreError> {
        let mut session = session;
        loop {
            let new = marks & !session.marks;
            if new == 0 || !session.is_kept() {
                return Ok(new);
            }
            let record = Record {
                state: session.state,
                marks: session.marks | marks,
            };
            match self.swap(key, &session, record).await? {
                Swap::Done(_) => return Ok(new),
                Swap::Conflict(found) => session = self.session(found),
            }
        }
    }

    /// Forgets a session.
    ///
    /// # Errors
    ///
    /// That the store cannot be reached.
    pub async fn close(&self, key: &Key) -> Result<(), StoreError> {
        self.store.delete(key, None).await
    }

    /// Forgets a session unless another call has changed it since it was found.
    ///
    /// # Errors
    ///
    /// That the store cannot be reached.
    pub async fn withdraw(&self, key: &Key, session: &Session) -> Result<(), StoreError> {
        match session.version {
            Some(version) => self.store.delete(key, Some(version)).await,
            None => Ok(()),
        }
    }

    async fn swap(&self, key: &Key, session: &Session, record: Record) -> Result<Swap, StoreError> {
        let bytes = record.encode(&self.machine);
        // With something to spare, so that the next calls need not write.
        let ttl = self.time_to_live.saturating_add(self.time_to_live / 16);
        let version = session.version;
        match self.store.in_memory() {
            Some(memory) => memory.swap(key, version, bytes, ttl),
            None => self.store.compare_and_swap(key, version, bytes, ttl).await,
        }
    }

    fn session(&self, found: Option<Stored>) -> Session {
        let Some(stored) = found else {
            let Record { state, marks } = Record::new(&self.machine);
            return Session {
                state,
                marks,
                version: None,
                left: Duration::ZERO,
            };
        };
        let record = Record::decode(&self.machine, stored.bytes.as_slice()).unwrap_or_else(|| {
            tracing::warn!("a session was kept by another program, in a state this one does not know; it begins again");
            Record::new(&self.machine)
        });
        Session {
            left: stored.left,
            ..self.kept(record, stored.version)
        }
    }

    fn kept(&self, Record { state, marks }: Record, version: EntryVersion) -> Session {
        Session {
            state,
            marks,
            version: Some(version),
            left: self.time_to_live,
        }
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger")
            .field("machine", &self.machine)
            .field("time_to_live", &self.time_to_live)
            .finish_non_exhaustive()
    }
}
