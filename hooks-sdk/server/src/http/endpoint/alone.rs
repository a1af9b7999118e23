//! Messages of clients that keep no session: each says all that is needed about its client (2026-07-28).

use std::sync::Arc;

use http::{HeaderMap, StatusCode};
use rmcp::{
    ErrorData,
    model::{
        ClientCapabilities, ClientJsonRpcMessage, Implementation, InitializeRequestParams,
        JsonRpcMessage, ProtocolVersion,
    },
};

use super::{
    Endpoint,
    headers::version,
    response::{Refused, internal, json_error},
};
use crate::server::carried::{Session, SessionPeer};

/// How many notifications without a session are handled at a time. Further ones are dropped.
pub(super) const AT_A_TIME: usize = 256;

impl Endpoint {
    /// Makes what serves a message of a client that keeps no session.
    ///
    /// # Errors
    ///
    /// Returns the response to an answer: nobody waits for it.
    pub(super) fn alone(
        &self,
        message: &ClientJsonRpcMessage,
        headers: &HeaderMap,
    ) -> Result<(Arc<Session>, SessionPeer), Refused> {
        if matches!(
            message,
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)
        ) {
            let message = "stateless server does not accept JSON-RPC responses";
            let error = ErrorData::invalid_request(message, None);
            return Err(json_error(StatusCode::BAD_REQUEST, None, error));
        }
        let (session, transport) = self.sessions.session(false).map_err(internal)?;
        let peer = session.serves_alone(transport, client(headers));
        Ok((session, peer))
    }

    /// Lets the server handle a notification without a session. Its client does not wait.
    pub(super) fn hears(&self, handling: impl Future<Output = ()> + Send + 'static) {
        let Ok(room) = self.notifications.clone().try_acquire_owned() else {
            tracing::warn!(
                target: "hooks_sdk::http",
                at_a_time = AT_A_TIME,
                "a notification is dropped: too many are handled already"
            );
            return;
        };
        tokio::spawn(async move {
            handling.await;
            drop(room);
        });
    }
}

/// Returns what rmcp knows of a client that keeps no session: its revision.
fn client(headers: &HeaderMap) -> InitializeRequestParams {
    let version = version(headers);
    let version = version.and_then(|version| serde_json::from_value(version.into()).ok());
    InitializeRequestParams::new(ClientCapabilities::default(), Implementation::default())
        .with_protocol_version(version.unwrap_or(ProtocolVersion::V_2025_03_26))
}
