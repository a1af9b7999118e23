//! Whose a session is, whether it has ended, and its handshake in the store.

use std::time::Duration;

use rmcp::model::InitializeRequestParams;

use super::{
    Replicas, SESSION_TTL,
    count::Count,
    handshake::{HandshakeStep, session_key},
    in_time,
};
use crate::http::{Principal, endpoint::SessionMap};
use hooks_core::store::{StoreError, Stored, Swap};

/// How often the entry of a session that lives in this process is read.
const CHECK_EVERY: Duration = Duration::from_secs(5);

/// How long the store remembers that a session has ended: much longer than rmcp keeps an idle session alive.
const ENDED_TTL: Duration = Duration::from_secs(3600);

static TOO_LARGE: Count = Count::of(
    "the handshake of a session is too large to be kept; the session lives at one replica only",
);
static FOREIGN: Count =
    Count::of("a request came with the session of another principal and was refused");

/// Whether a request may go on.
pub(super) enum Admitted {
    /// It may; with the handshake, if it was read.
    Yes(Option<Box<InitializeRequestParams>>),
    UnknownSession,
    Unavailable,
}

impl Replicas {
    /// Decides about a request with the id of a session.
    pub(super) async fn admit(
        &self,
        sessions: &SessionMap,
        session: &str,
        principal: Option<&Principal>,
    ) -> Admitted {
        let Some(key) = session_key(session) else {
            return Admitted::UnknownSession;
        };
        let known = if sessions.is_live(session) {
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
                tracing::debug!(
                    target: "hooks_sdk::http",
                    %error, "a session could not be checked"
                );
                if known.is_none() {
                    return Admitted::Unavailable;
                }
                self.0.known.set_checked(session);
                return Admitted::Yes(None);
            }
        };
        let read = stored
            .as_ref()
            .and_then(|stored| HandshakeStep::of(&stored.bytes));
        match (stored, read) {
            (Some(_), Some(HandshakeStep::Ended)) => {
                self.forget(sessions, session);
                Admitted::UnknownSession
            }
            (
                Some(stored),
                Some(HandshakeStep::Open {
                    principal: owner,
                    params,
                }),
            ) => {
                if owner.as_deref() != principal.map(Principal::as_str) {
                    FOREIGN.add();
                    return Admitted::UnknownSession;
                }
                self.renew(session, &stored).await;
                let bytes = Some(stored.bytes);
                self.0.known.remember(session, principal, bytes);
                Admitted::Yes(Some(Box::new(params)))
            }
            (missing, _) if known.is_some() => {
                self.0.known.set_checked(session);
                // The store has lost its data.
                if missing.is_none()
                    && let Err(error) = self.write(session).await
                {
                    tracing::debug!(
                        target: "hooks_sdk::http",
                        %error, "a session was not written again"
                    );
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
        let bytes = HandshakeStep::open(principal, params).bytes();
        if bytes.is_none() {
            TOO_LARGE.add();
        }
        self.0.known.remember(session, principal, bytes);
        match self.write(session).await {
            Ok(()) => true,
            Err(error) => {
                tracing::warn!(
                    target: "hooks_sdk::http",
                    %error, "the store did not take a new session, which is refused"
                );
                false
            }
        }
    }

    /// Ends a session at all replicas.
    pub(super) async fn end(&self, session: &str) -> Result<(), StoreError> {
        let (Some(key), Some(bytes)) = (session_key(session), HandshakeStep::Ended.bytes()) else {
            return Ok(());
        };
        let mut expected = None;
        // A renewal may come in between, so that the first attempt conflicts twice.
        for _ in 0..8 {
            let swap = self
                .0
                .store
                .compare_and_swap(&key, expected, bytes.clone(), ENDED_TTL);
            match in_time(swap).await? {
                Swap::Done(_) => {
                    self.0.known.forget(session);
                    self.announce_end(session).await;
                    return Ok(());
                }
                Swap::Conflict(stored) => expected = stored.map(|stored| stored.version),
            }
        }
        Err(StoreError::unreachable(
            "other replicas wrote the session all the time",
        ))
    }

    /// Closes what lives of an ended session in this process.
    pub(super) fn forget(&self, sessions: &SessionMap, session: &str) {
        self.0.known.forget(session);
        sessions.close(session);
    }

    /// Lets the entry of a session live on, if some of its time has passed.
    async fn renew(&self, session: &str, stored: &Stored) {
        let ttl = SESSION_TTL;
        let (Some(key), true) = (session_key(session), stored.left < ttl * 15 / 16) else {
            return;
        };
        let bytes = stored.bytes.clone();
        let swap = self
            .0
            .store
            .compare_and_swap(&key, Some(stored.version), bytes, ttl);
        if let Err(error) = in_time(swap).await {
            tracing::warn!(
                target: "hooks_sdk::http",
                %error, "the time to live of a session could not be renewed"
            );
        }
    }

    /// Writes the handshake of a session, unless the store has one.
    async fn write(&self, session: &str) -> Result<(), StoreError> {
        let (Some(key), Some(bytes)) = (session_key(session), self.0.known.bytes(session)) else {
            return Ok(());
        };
        let ttl = SESSION_TTL;
        let swap = self.0.store.compare_and_swap(&key, None, bytes, ttl);
        in_time(swap).await.map(drop)
    }
}
