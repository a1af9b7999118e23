//! What the store keeps of a session: its handshake and its principal, or that it has ended.

use std::time::Duration;

use rmcp::model::InitializeRequestParams;
use serde::{Deserialize, Serialize};

use super::{Replicas, SESSION_TTL, count::Count, in_time, mailbox::Mailbox, unavailable};
use crate::http::{
    Principal,
    endpoint::{Refused, unknown_session},
};
use hooks_core::store::{Bytes, Key, StoreError, Stored, Swap};

/// How often the entry of a session that lives in this process is read.
const CHECK_EVERY: Duration = Duration::from_secs(5);

/// How long the store remembers that a session has ended: much longer than an idle session lives.
const ENDED_TTL: Duration = Duration::from_secs(3600);

/// The largest handshake that is kept, in bytes.
const LARGEST_HANDSHAKE: usize = 256 * 1024;

/// The longest id of a session, in bytes.
const LONGEST_ID: usize = 128;

static TOO_LARGE: Count = Count::of(
    "the handshake of a session is too large to be kept; the session lives at one replica only",
);
static FOREIGN: Count =
    Count::of("a request came with the session of another principal and was refused");

/// The entry of a session in the store.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every value is the large one"
)]
enum SessionEntry {
    Open {
        #[serde(rename = "principal", skip_serializing_if = "Option::is_none")]
        owner: Option<String>,
        params: InitializeRequestParams,
    },
    /// The client has ended the session, or its server did.
    Ended,
}

impl SessionEntry {
    /// Returns `None` if the handshake is too large to be kept.
    fn bytes(&self) -> Option<Bytes> {
        let json = serde_json::to_vec(self).ok()?;
        (json.len() <= LARGEST_HANDSHAKE).then(|| Bytes::from(&json[..]))
    }

    fn of(bytes: &Bytes) -> Option<SessionEntry> {
        let read = serde_json::from_slice(bytes.as_slice());
        let note = |error: &serde_json::Error| {
            tracing::warn!(
                target: "hooks_sdk::http",
                %error, "a stored session cannot be read; it counts as unknown"
            )
        };
        read.inspect_err(note).ok()
    }
}

/// Returns the key of a session, or `None` if this can be no id of a session.
pub(super) fn session_key(session: &str) -> Option<Key> {
    let is_id = (1..=LONGEST_ID).contains(&session.len())
        && session.bytes().all(|byte| byte.is_ascii_graphic());
    is_id.then(|| Key::new(&[b"hooks-sdk/http/session/", session.as_bytes()].concat()))
}

impl Replicas {
    /// Decides about a request with the id of a session. Returns the handshake, if it was read.
    ///
    /// # Errors
    ///
    /// Returns the response if the session is unknown, has ended, or is another principal's, or if the store does not answer and
    /// the session does not live here.
    pub(in crate::http) async fn admit(
        &self,
        session: &str,
        principal: Option<&Principal>,
    ) -> Result<Option<Box<InitializeRequestParams>>, Refused> {
        let foreign = || {
            FOREIGN.add();
            unknown_session()
        };
        let live = self.sessions.owned(session, principal);
        if let Some((is_own, checked)) = live {
            if !is_own {
                return Err(foreign());
            }
            if checked.elapsed() < CHECK_EVERY {
                return Ok(None);
            }
        }
        let key = session_key(session).ok_or_else(unknown_session)?;
        let stored = match in_time(self.store.load(&key)).await {
            Ok(stored) => stored,
            Err(error) => {
                tracing::debug!(
                    target: "hooks_sdk::http",
                    %error, "a session could not be checked"
                );
                self.sessions.set_checked(session);
                return live.map(|_| None).ok_or_else(unavailable);
            }
        };
        let bytes = stored.as_ref().map(|stored| &stored.bytes);
        match bytes.and_then(SessionEntry::of) {
            Some(SessionEntry::Ended) => {
                self.sessions.close(session);
                Err(unknown_session())
            }
            Some(SessionEntry::Open { owner, params }) => {
                if owner.as_deref() != principal.map(Principal::as_str) {
                    return Err(foreign());
                }
                // Not before: a request that its client breaks off has checked nothing.
                self.sessions.set_checked(session);
                self.renew(&key, stored).await;
                Ok(Some(Box::new(params)))
            }
            None if live.is_some() => {
                self.sessions.set_checked(session);
                // The store has lost its data.
                if stored.is_none()
                    && let Some(params) = self.sessions.get(session).and_then(|live| live.client())
                    && let Err(error) = self.write(session, principal, params).await
                {
                    tracing::debug!(
                        target: "hooks_sdk::http",
                        %error, "a session was not written again"
                    );
                }
                Ok(None)
            }
            None => Err(unknown_session()),
        }
    }

    /// Makes a new session known to the other replicas.
    ///
    /// # Errors
    ///
    /// Returns the response in place of the handshake's answer if they do not know it.
    pub(in crate::http) async fn opened(
        &self,
        session: &str,
        principal: Option<&Principal>,
        params: InitializeRequestParams,
    ) -> Result<(), Refused> {
        if let Err(error) = self.write(session, principal, params).await {
            tracing::warn!(
                target: "hooks_sdk::http",
                %error, "the store did not take a new session, which is refused"
            );
            // The client's next request may go to another replica, which would not know the session.
            self.sessions.close(session);
            return Err(unavailable());
        }
        Ok(())
    }

    /// Ends a session at all replicas. The endpoint ends what lives of it here.
    ///
    /// # Errors
    ///
    /// Returns the response if the store does not answer.
    pub(in crate::http) async fn end(&self, session: &str) -> Result<(), Refused> {
        if let Err(error) = self.write_end(session).await {
            tracing::warn!(target: "hooks_sdk::http", %error, "a session could not be ended");
            return Err(unavailable());
        }
        // A replica that does not hear it finds it in the store.
        if let Err(error) = self.send(&Mailbox::of_all(), session, None).await {
            tracing::warn!(
                target: "hooks_sdk::http",
                %error, "the end of a session was not announced to other replicas"
            );
        }
        Ok(())
    }

    async fn write_end(&self, session: &str) -> Result<(), StoreError> {
        let (Some(key), Some(bytes)) = (session_key(session), SessionEntry::Ended.bytes()) else {
            return Ok(());
        };
        let mut expected = None;
        // A renewal may come in between, so that the first attempt conflicts twice.
        for _ in 0..8 {
            let swap = self
                .store
                .compare_and_swap(&key, expected, bytes.clone(), ENDED_TTL);
            match in_time(swap).await? {
                Swap::Done(_) => return Ok(()),
                Swap::Conflict(stored) => expected = stored.map(|stored| stored.version),
            }
        }
        Err(StoreError::unreachable(
            "other replicas wrote the session all the time",
        ))
    }

    /// Lets the entry of a session live on, if some of its time has passed.
    async fn renew(&self, key: &Key, stored: Option<Stored>) {
        let due = stored.filter(|stored| stored.left < SESSION_TTL * 15 / 16);
        let Some(Stored { bytes, version, .. }) = due else {
            return;
        };
        let swap = self
            .store
            .compare_and_swap(key, Some(version), bytes, SESSION_TTL);
        if let Err(error) = in_time(swap).await {
            tracing::warn!(
                target: "hooks_sdk::http",
                %error, "the time to live of a session could not be renewed"
            );
        }
    }

    /// Writes the handshake of a session, unless the store has one.
    async fn write(
        &self,
        session: &str,
        principal: Option<&Principal>,
        params: InitializeRequestParams,
    ) -> Result<(), StoreError> {
        let owner = principal.map(|principal| principal.as_str().to_owned());
        let bytes = SessionEntry::Open { owner, params }.bytes();
        let (Some(key), Some(bytes)) = (session_key(session), bytes) else {
            TOO_LARGE.add();
            return Ok(());
        };
        let swap = self.store.compare_and_swap(&key, None, bytes, SESSION_TTL);
        in_time(swap).await.map(drop)
    }
}
