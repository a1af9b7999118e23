//! Whose a session is, whether it has ended, and its handshake in the store.

use std::{
    collections::{HashMap, HashSet},
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rmcp::{
    model::InitializeRequestParams,
    transport::streamable_http_server::session::{
        SessionManager as _, SessionState, SessionStore, SessionStoreError,
    },
};
use tokio::{sync::Notify, time::Instant};

use super::{
    Pause, Replicas,
    count::Count,
    handshake::{Handshake, session_key},
    in_time,
};
use crate::{
    http::{Principal, door::SessionManager},
    store::{Bytes, StoreError, Stored, Swap},
};

/// How often the entry of a session that lives in this process is read.
const CHECK_EVERY: Duration = Duration::from_secs(5);

/// How long the store remembers that a session has ended: much longer than rmcp keeps an idle session alive.
const ENDED_TTL: Duration = Duration::from_secs(3600);

/// The most sessions whose handshake this process remembers.
const MOST_SESSIONS: usize = 100_000;

static TOO_LARGE: Count =
    Count::of("the handshake of a session is too large to be kept, and the session is refused");
static FORGOTTEN: Count =
    Count::of("this process remembers too many sessions; a session was forgotten");
static FOREIGN: Count =
    Count::of("a request came with the session of another principal and was refused");

tokio::task_local! {
    /// What passes between the layer and rmcp's service while that serves one request.
    pub(super) static PASSING: Mutex<Passing>;
}

#[derive(Debug, Default)]
pub(super) struct Passing {
    /// To rmcp: the handshake that the layer has read. From rmcp: the handshake of a new session.
    pub(super) params: Option<InitializeRequestParams>,
    /// rmcp asked for the handshake, and the store did not answer.
    pub(super) unreachable: bool,
}

/// The sessions that this process has served lately.
#[derive(Default)]
pub(super) struct Known {
    sessions: Mutex<HashMap<String, KnownSession>>,
    /// The sessions whose entry has to be written.
    owed: Mutex<HashSet<String>>,
    owes: Notify,
}

struct KnownSession {
    principal: Option<Principal>,
    /// The session's value in the store.
    bytes: Bytes,
    checked: Instant,
}

/// Whether a request may go on.
pub(super) enum Admitted {
    /// It may; with the handshake, if it was read.
    Yes(Option<InitializeRequestParams>),
    UnknownSession,
    Unavailable,
}

impl Replicas {
    /// Decides about a request with the id of a session.
    pub(super) async fn admit(
        &self,
        manager: &SessionManager,
        session: &str,
        principal: Option<&Principal>,
    ) -> Admitted {
        let Some(key) = session_key(session) else {
            return Admitted::UnknownSession;
        };
        let is_live = manager.has_session(&session.into()).await.unwrap_or(false);
        let known = if is_live {
            self.0.known.checked(session)
        } else {
            None
        };
        if let Some((owner, checked)) = &known {
            if owner.as_ref() != principal {
                FOREIGN.add();
                return Admitted::UnknownSession;
            }
            if checked.elapsed() < CHECK_EVERY {
                return Admitted::Yes(None);
            }
        }
        let stored = match in_time(self.0.store.load(&key)).await {
            Ok(stored) => stored,
            Err(error) => {
                tracing::debug!(%error, "a session could not be checked");
                if known.is_none() {
                    return Admitted::Unavailable;
                }
                self.0.known.set_checked(session);
                return Admitted::Yes(None);
            }
        };
        let read = stored
            .as_ref()
            .and_then(|stored| Handshake::of(&stored.bytes));
        match (stored, read) {
            (Some(_), Some(Handshake::Ended)) => {
                self.forget(manager, session).await;
                Admitted::UnknownSession
            }
            (
                Some(stored),
                Some(Handshake::Open {
                    principal: owner,
                    params,
                }),
            ) => {
                if owner.as_deref() != principal.map(Principal::as_str) {
                    FOREIGN.add();
                    return Admitted::UnknownSession;
                }
                self.renew(session, &stored).await;
                self.0.known.remember(session, principal, stored.bytes);
                Admitted::Yes(Some(params))
            }
            (missing, _) if known.is_some() => {
                self.0.known.set_checked(session);
                if missing.is_none() {
                    self.0.known.owe(session);
                }
                Admitted::Yes(None)
            }
            _ => Admitted::UnknownSession,
        }
    }

    /// Binds a new session to its principal, and keeps its handshake. Returns whether the other replicas know it then.
    pub(super) async fn bind(
        &self,
        session: &str,
        principal: Option<&Principal>,
        params: InitializeRequestParams,
    ) -> bool {
        let Some(bytes) = Handshake::open(principal, params).bytes() else {
            TOO_LARGE.add();
            return false;
        };
        self.0.known.remember(session, principal, bytes);
        match self.write(session).await {
            Ok(()) => true,
            Err(error) => {
                tracing::warn!(%error, "the store did not take a new session, which is refused");
                false
            }
        }
    }

    /// Ends a session at all replicas.
    pub(super) async fn end(&self, session: &str) -> Result<(), StoreError> {
        let (Some(key), Some(bytes)) = (session_key(session), Handshake::Ended.bytes()) else {
            return Ok(());
        };
        self.0.known.forget(session);
        let mut expected = None;
        // A renewal may come in between, so that the first attempt conflicts twice.
        for _ in 0..8 {
            let swap = self
                .0
                .store
                .compare_and_swap(&key, expected, bytes.clone(), ENDED_TTL);
            match in_time(swap).await? {
                Swap::Done(_) => return self.announce_end(session).await,
                Swap::Conflict(stored) => expected = stored.map(|stored| stored.version),
            }
        }
        Err(StoreError::unreachable(
            "other replicas wrote the session all the time",
        ))
    }

    /// Closes what lives of an ended session in this process.
    pub(super) async fn forget(&self, manager: &SessionManager, session: &str) {
        self.0.known.forget(session);
        self.0.listeners.end(session);
        if let Err(error) = manager.close_session(&session.into()).await {
            tracing::warn!(%error, "an ended session could not be closed");
        }
    }

    /// Lets the entry of a session live on, if some of its time has passed.
    async fn renew(&self, session: &str, stored: &Stored) {
        let ttl = self.0.settings.session_ttl;
        let (Some(key), true) = (session_key(session), stored.left < ttl * 15 / 16) else {
            return;
        };
        let bytes = stored.bytes.clone();
        let swap = self
            .0
            .store
            .compare_and_swap(&key, Some(stored.version), bytes, ttl);
        if let Err(error) = in_time(swap).await {
            tracing::warn!(%error, "the time to live of a session could not be renewed");
        }
    }

    /// Writes the handshake of a session, unless the store has one.
    async fn write(&self, session: &str) -> Result<(), StoreError> {
        let (Some(key), Some(bytes)) = (session_key(session), self.0.known.bytes(session)) else {
            return Ok(());
        };
        let ttl = self.0.settings.session_ttl;
        let swap = self.0.store.compare_and_swap(&key, None, bytes, ttl);
        in_time(swap).await.map(drop)
    }

    /// Writes the handshakes that the store did not take, or has lost, until the replica ends.
    pub(super) async fn write_owed(self) {
        let mut pause = Pause::default();
        let work = async {
            loop {
                let Some(session) = self.0.known.first_owed() else {
                    self.0.known.owes.notified().await;
                    continue;
                };
                match self.write(&session).await {
                    Err(error) => pause.after(&error).await,
                    Ok(()) => {
                        self.0.known.lock_owed().remove(&session);
                        pause = Pause::default();
                    }
                }
            }
        };
        self.0.ends.run_until_cancelled(work).await;
    }
}

#[async_trait::async_trait]
impl SessionStore for Replicas {
    async fn load(&self, session: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let passed = PASSING.try_with(|passing| lock(passing).params.take());
        if let Ok(Some(params)) = passed {
            return Ok(Some(SessionState::new(params)));
        }
        let Some(key) = session_key(session) else {
            return Ok(None);
        };
        match in_time(self.0.store.load(&key)).await {
            Ok(stored) => match stored.and_then(|stored| Handshake::of(&stored.bytes)) {
                Some(Handshake::Open { params, .. }) => Ok(Some(SessionState::new(params))),
                Some(Handshake::Ended) | None => Ok(None),
            },
            Err(error) => {
                tracing::warn!(%error, "a session could not be restored");
                _ = PASSING.try_with(|passing| lock(passing).unreachable = true);
                Err("the store cannot be reached".into())
            }
        }
    }

    /// Hands the handshake to the layer, which knows the principal and writes both.
    async fn store(&self, _: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let params = Some(state.initialize_params.clone());
        _ = PASSING.try_with(|passing| lock(passing).params = params);
        Ok(())
    }

    /// Does nothing: the layer has ended the session before.
    async fn delete(&self, _: &str) -> Result<(), SessionStoreError> {
        Ok(())
    }
}

impl Known {
    /// Returns the principal of a session, and when its entry was last read.
    fn checked(&self, session: &str) -> Option<(Option<Principal>, Instant)> {
        let sessions = lock(&self.sessions);
        let known = sessions.get(session)?;
        Some((known.principal.clone(), known.checked))
    }

    fn set_checked(&self, session: &str) {
        if let Some(known) = lock(&self.sessions).get_mut(session) {
            known.checked = Instant::now();
        }
    }

    fn remember(&self, session: &str, principal: Option<&Principal>, bytes: Bytes) {
        let mut sessions = lock(&self.sessions);
        if sessions.len() >= MOST_SESSIONS && !sessions.contains_key(session) {
            // rmcp drops a session that is idle for 5 minutes. What was not checked for longer does not live here.
            let idle = |known: &KnownSession| known.checked.elapsed() > Duration::from_secs(600);
            sessions.retain(|_, known| !idle(known));
            if sessions.len() >= MOST_SESSIONS {
                let any = sessions.keys().next().cloned();
                any.map(|any| sessions.remove(&any));
                FORGOTTEN.add();
            }
        }
        let known = KnownSession {
            principal: principal.cloned(),
            bytes,
            checked: Instant::now(),
        };
        sessions.insert(session.to_owned(), known);
    }

    fn forget(&self, session: &str) {
        lock(&self.sessions).remove(session);
        self.lock_owed().remove(session);
    }

    fn bytes(&self, session: &str) -> Option<Bytes> {
        Some(lock(&self.sessions).get(session)?.bytes.clone())
    }

    fn owe(&self, session: &str) {
        self.lock_owed().insert(session.to_owned());
        self.owes.notify_one();
    }

    fn first_owed(&self) -> Option<String> {
        self.lock_owed().iter().next().cloned()
    }

    fn lock_owed(&self) -> MutexGuard<'_, HashSet<String>> {
        lock(&self.owed)
    }
}

/// Takes what rmcp has left for the layer.
pub(super) fn take_passed() -> Passing {
    PASSING.with(|passing| mem::take(&mut *lock(passing)))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
