//! Messages of methods that rmcp has and the table has not: refused or withheld, counted and logged.

use rmcp::{
    ErrorData, RoleServer,
    model::{ClientRequest, CustomRequest, ErrorCode, Extensions, GetExtensions, JsonRpcMessage},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
};

use super::{
    has_client_notification, has_client_request, has_server_notification, has_server_request,
};

/// The mark on a request that is refused because its method has no row.
#[derive(Clone, Copy, Debug)]
struct WithoutRow;

/// Returns a client's message, as the server may see it. A request of a method without a row is marked, and
/// [`refused`] later; a notification is dropped.
pub(in crate::server) fn known(
    mut message: RxJsonRpcMessage<RoleServer>,
) -> Option<RxJsonRpcMessage<RoleServer>> {
    match &mut message {
        JsonRpcMessage::Request(request) if !has_client_request(&request.request) => {
            let method = request.request.method().to_owned();
            count(&method, "inbound");
            let mut custom = CustomRequest::new(method, None);
            custom.extensions = request.request.extensions().clone();
            custom.extensions.insert(WithoutRow);
            request.request = ClientRequest::CustomRequest(custom);
        }
        JsonRpcMessage::Notification(told) if !has_client_notification(&told.notification) => {
            count("a notification", "inbound");
            return None;
        }
        _ => {}
    }
    Some(message)
}

/// Returns the error for a request that [`known`] marked.
pub(in crate::server) fn refused(extensions: &Extensions) -> Option<ErrorData> {
    extensions.get::<WithoutRow>().map(|_| {
        let message = "this server does not have the method";
        ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
    })
}

/// Returns whether a message of the server may leave. A message of a method without a row is withheld.
pub(in crate::server) fn may_leave(message: &TxJsonRpcMessage<RoleServer>) -> bool {
    let is_known = match message {
        JsonRpcMessage::Request(request) => has_server_request(&request.request),
        JsonRpcMessage::Notification(told) => has_server_notification(&told.notification),
        // The handler's functions are in the table, so their results are.
        JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => true,
    };
    if !is_known {
        count("of the server", "outbound");
    }
    is_known
}

fn count(method: &str, direction: &'static str) {
    #[cfg(feature = "metrics")]
    metrics::counter!("mcp.server.unknown_methods", "direction" => direction).increment(1);
    tracing::warn!(
        target: "hooks_sdk::server",
        method,
        direction,
        "a message is stopped: this version of the SDK does not know its method"
    );
}
