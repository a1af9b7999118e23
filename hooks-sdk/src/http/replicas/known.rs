//! The sessions that this process has served lately, and the handshakes that it owes to the store.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};

use super::count::Count;
use crate::{http::Principal, store::Bytes};

/// The most sessions whose handshake this process remembers.
const MOST_SESSIONS: usize = 100_000;

/// When a session that was not used is forgotten here: rmcp drops it after 5 minutes.
const UNUSED: Duration = Duration::from_secs(600);
const SWEEP_EVERY: Duration = Duration::from_secs(60);

static FORGOTTEN: Count =
    Count::of("this process remembers too many sessions; a session was forgotten");

/// The sessions that this process has served lately.
#[derive(Default)]
pub(super) struct ServedSessions {
    sessions: Mutex<KnownSessions>,
    /// The sessions whose entry has to be written.
    owed: Mutex<HashSet<String>>,
    owes: Notify,
}

#[derive(Default)]
struct KnownSessions {
    by_id: HashMap<String, KnownSession>,
    swept: Option<Instant>,
}

struct KnownSession {
    principal: Option<Principal>,
    /// The session's value in the store, unless it is too large.
    bytes: Option<Bytes>,
    checked: Instant,
}

impl ServedSessions {
    /// Returns the principal of a session, and when its entry was last read.
    pub(super) fn checked(&self, session: &str) -> Option<(Option<Principal>, Instant)> {
        let sessions = lock(&self.sessions);
        let known = sessions.by_id.get(session)?;
        Some((known.principal.clone(), known.checked))
    }

    pub(super) fn set_checked(&self, session: &str) {
        if let Some(known) = lock(&self.sessions).by_id.get_mut(session) {
            known.checked = Instant::now();
        }
    }

    pub(super) fn remember(
        &self,
        session: &str,
        principal: Option<&Principal>,
        bytes: Option<Bytes>,
    ) {
        let now = Instant::now();
        let mut sessions = lock(&self.sessions);
        let is_due = sessions.swept.is_none_or(|at| now - at >= SWEEP_EVERY);
        let is_new = !sessions.by_id.contains_key(session);
        if is_due {
            sessions
                .by_id
                .retain(|_, known| now - known.checked < UNUSED);
            sessions.swept = Some(now);
        }
        if is_new && sessions.by_id.len() >= MOST_SESSIONS {
            let any = sessions.by_id.keys().next().cloned();
            any.map(|any| sessions.by_id.remove(&any));
            FORGOTTEN.add();
        }
        let known = KnownSession {
            principal: principal.cloned(),
            bytes,
            checked: now,
        };
        sessions.by_id.insert(session.to_owned(), known);
    }

    pub(super) fn forget(&self, session: &str) {
        lock(&self.sessions).by_id.remove(session);
        self.lock_owed().remove(session);
    }

    pub(super) fn bytes(&self, session: &str) -> Option<Bytes> {
        lock(&self.sessions).by_id.get(session)?.bytes.clone()
    }

    pub(super) fn owe(&self, session: &str) {
        self.lock_owed().insert(session.to_owned());
        self.owes.notify_one();
    }

    /// Waits until a further handshake is owed.
    pub(super) async fn owes(&self) {
        self.owes.notified().await;
    }

    pub(super) fn paid(&self, session: &str) {
        self.lock_owed().remove(session);
    }

    pub(super) fn first_owed(&self) -> Option<String> {
        self.lock_owed().iter().next().cloned()
    }

    fn lock_owed(&self) -> MutexGuard<'_, HashSet<String>> {
        lock(&self.owed)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
