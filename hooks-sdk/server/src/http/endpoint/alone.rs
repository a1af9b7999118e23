//! Messages of clients that keep no session: each says all that is needed about its client (2026-07-28).

use http::{HeaderMap, StatusCode, request::Parts};
use rmcp::{
    ErrorData,
    model::{
        ClientCapabilities, GetExtensions, GetMeta, Implementation, InitializeRequestParams,
        JsonRpcMessage, ProtocolVersion,
    },
};

use super::{
    Endpoint, Taken,
    answer::AloneRequest,
    headers::{self, Refused},
    response,
};
use crate::server::carried::{Read, Session};

/// How many notifications without a session are handled at a time. Further ones are dropped.
pub(super) const AT_A_TIME: usize = 256;

impl Endpoint {
    /// Takes a message of a client that keeps no session.
    pub(super) fn alone(&self, head: Parts, read: Read, length: usize) -> Result<Taken, Refused> {
        if matches!(
            &read.message,
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)
        ) {
            let message = "stateless server does not accept JSON-RPC responses";
            let error = ErrorData::invalid_request(message, None);
            return Err(response::json_error(StatusCode::BAD_REQUEST, None, error));
        }
        let client = client(&head.headers);
        let end = self.settings.end.child_token();
        let session = Session::new(&self.hooked, self.service.clone(), self.replica, false, end);
        let (session, transport) = session.map_err(response::internal)?;
        let mut request = match session.arrives(read) {
            Some(JsonRpcMessage::Request(request)) => request,
            Some(JsonRpcMessage::Notification(mut told)) => {
                told.notification.extensions_mut().insert(head);
                self.hears(async move {
                    let told = JsonRpcMessage::Notification(told);
                    session.is_told_alone(transport, told, client).await;
                });
                return Ok(Taken::Whole);
            }
            _ => return Ok(Taken::Whole),
        };
        let meta = request.request.get_meta();
        let lacks_meta = !meta
            .missing_required_keys(&ProtocolVersion::V_2026_07_28)
            .is_empty();
        request.request.extensions_mut().insert(head);
        let id = request.id.clone();
        let exchange = session.takes_alone(transport, request, client, length);
        let exchange = exchange.map_err(response::internal)?;
        let alone = AloneRequest { id, lacks_meta };
        Ok(Taken::Request {
            exchange,
            session,
            alone: Some(alone),
            primes: false,
        })
    }

    /// Lets the server handle a notification without a session. Its client does not wait.
    fn hears(&self, handling: impl Future<Output = ()> + Send + 'static) {
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
    let version = headers::version(headers);
    let version = version.and_then(|version| serde_json::from_value(version.into()).ok());
    InitializeRequestParams::new(ClientCapabilities::default(), Implementation::default())
        .with_protocol_version(version.unwrap_or(ProtocolVersion::V_2025_03_26))
}
