//! What the store keeps of a session, its handshake and its principal, or that it has ended; and what passes of it between
//! the layer and rmcp's service.

use std::{mem, sync::Mutex};

use rmcp::{
    model::InitializeRequestParams,
    transport::streamable_http_server::session::{SessionState, SessionStore, SessionStoreError},
};
use serde::{Deserialize, Serialize};

use super::{Replicas, in_time};
use crate::http::Principal;
use hooks_core::{
    internal::lock,
    store::{Bytes, Key},
};

/// The largest handshake that is kept, in bytes.
const LARGEST_HANDSHAKE: usize = 256 * 1024;

/// The longest id of a session, in bytes.
const LONGEST_ID: usize = 128;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every value is the large one"
)]
pub(super) enum HandshakeStep {
    Open {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        principal: Option<String>,
        params: InitializeRequestParams,
    },
    /// The client has ended the session, or its server did.
    Ended,
}

impl HandshakeStep {
    pub(super) fn open(
        principal: Option<&Principal>,
        params: InitializeRequestParams,
    ) -> HandshakeStep {
        let principal = principal.map(|principal| principal.as_str().to_owned());
        HandshakeStep::Open { principal, params }
    }

    /// Returns `None` if the handshake is too large to be kept.
    pub(super) fn bytes(&self) -> Option<Bytes> {
        let json = serde_json::to_vec(self).ok()?;
        (json.len() <= LARGEST_HANDSHAKE).then(|| Bytes::from(&json[..]))
    }

    pub(super) fn of(bytes: &Bytes) -> Option<HandshakeStep> {
        let read = serde_json::from_slice(bytes.as_slice());
        let note = |error| {
            tracing::warn!(
                target: "hooks_sdk::http",
                %error, "a stored session cannot be read; it counts as unknown"
            )
        };
        read.map_err(note).ok()
    }
}

/// Returns the key of a session, or `None` if this can be no id of a session.
pub(super) fn session_key(session: &str) -> Option<Key> {
    let is_id = (1..=LONGEST_ID).contains(&session.len())
        && session.bytes().all(|byte| byte.is_ascii_graphic());
    is_id.then(|| Key::new(&[b"hooks-sdk/http/session/", session.as_bytes()].concat()))
}

tokio::task_local! {
    /// What passes between the layer and rmcp's service while that serves one request.
    pub(super) static PASSING: Mutex<HandshakeRelay>;
}

#[derive(Debug, Default)]
pub(super) struct HandshakeRelay {
    /// To rmcp: the handshake that the layer has read. From rmcp: the handshake of a new session.
    pub(super) params: Option<InitializeRequestParams>,
    /// rmcp asked for the handshake, and the store did not answer.
    pub(super) unreachable: bool,
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
            Ok(stored) => match stored.and_then(|stored| HandshakeStep::of(&stored.bytes)) {
                Some(HandshakeStep::Open { params, .. }) => Ok(Some(SessionState::new(params))),
                Some(HandshakeStep::Ended) | None => Ok(None),
            },
            Err(error) => {
                tracing::warn!(
                    target: "hooks_sdk::http",
                    %error, "a session could not be restored"
                );
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

/// Takes what rmcp has left for the layer.
pub(super) fn take_passed() -> HandshakeRelay {
    PASSING.with(|passing| mem::take(&mut *lock(passing)))
}
