//! What the store keeps of a session: its handshake and its principal, or that it has ended.

use axum::body::Body;
use http::Response;
use rmcp::model::InitializeRequestParams;
use serde::{Deserialize, Serialize};

use super::{Replicas, in_time, refusal};
use crate::http::Principal;
use hooks_core::store::{Bytes, Key};

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

impl Replicas {
    /// Returns the handshake of a session that another replica has opened.
    ///
    /// # Errors
    ///
    /// Returns the response if the store does not answer.
    pub(in crate::http) async fn handshake(
        &self,
        session: &str,
    ) -> Result<Option<InitializeRequestParams>, Box<Response<Body>>> {
        let Some(key) = session_key(session) else {
            return Ok(None);
        };
        let stored = in_time(self.0.store.load(&key)).await.map_err(|error| {
            tracing::warn!(target: "hooks_sdk::http", %error, "a session could not be restored");
            Box::new(refusal::unavailable())
        })?;
        let step = stored.and_then(|stored| HandshakeStep::of(&stored.bytes));
        Ok(match step {
            Some(HandshakeStep::Open { params, .. }) => Some(params),
            Some(HandshakeStep::Ended) | None => None,
        })
    }
}
